import { Role, roleName } from '../domain/wire/roles.ts';
import type { Row } from './tables.ts';

/** How the output of a command is shown on a terminal; JSON has all of it as it is. */
interface Layout {
  /** True if there is a row for each of several things. */
  readonly isList: boolean;
  /** True if a row of totals comes before the list. */
  readonly hasTotals?: boolean;
  /** Returns the row that is shown for one of the output. */
  readonly row?: (row: Row) => Row;
  /** A text for where there is nothing to list. */
  readonly nothing?: string;
  /** Lines that follow, such as what to do next. */
  readonly after?: (rows: readonly Row[]) => string;
}

const ONE: Layout = { isList: false };

/** Imports of other services say first what has come, and then what has not. */
const REPORT: Layout = { isList: true, hasTotals: true };

export const layoutOf = (command: string): Layout =>
  LAYOUTS[command] ?? (command.startsWith('import ') ? REPORT : ONE);

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'realm list': {
    isList: true,
    nothing: 'There are no realms yet: `confab init` makes the first one.',
    row: ({ realm_id, realm, is_active, is_served, reason, deletable_at }) => ({
      id: realm_id,
      realm,
      state: stateOf(is_served, is_active),
      ...(reason === undefined ? {} : { reason }),
      ...(typeof deletable_at === 'string' ? { kept_until: deletable_at } : {}),
    }),
  },
  'user list': {
    isList: true,
    nothing: 'This realm has no accounts yet: `confab user create` makes one.',
    row: ({ user_id, full_name, email, role, is_bot, is_active }) => ({
      id: user_id,
      name: full_name,
      email,
      role: is_bot ? 'bot' : roleWord(role),
      state: is_active ? 'active' : 'deactivated',
    }),
  },
  audit: {
    isList: true,
    nothing: 'The audit log has nothing of this.',
    row: ({ at, by, user, kind, op, target, before, after }) => ({
      at,
      by: user ?? by,
      did: `${op} ${kind} ${target}`,
      what: changesOf(before as Row | null, after as Row | null),
    }),
  },
  'users import': { isList: true, nothing: 'The file has no accounts.', after: keyIsNotShownAgain },
  'user create': {
    isList: false,
    row: ({ has_password, ...rest }) => rest,
    after: (rows) => `${keyIsNotShownAgain(rows)}${rows.map(howToLogIn).join('')}`,
  },
  'bot create': { isList: false, after: keyIsNotShownAgain },
  'key create': { isList: false, after: keyIsNotShownAgain },
  'scim token': {
    isList: false,
    after: (rows) => (rows[0]?.['token'] === undefined ? '' : keyIsNotShownAgain(rows)),
  },
  console: {
    isList: false,
    after: () => '\nOpen it in a browser. It lets one in, once, within five minutes.\n',
  },
  status: {
    isList: false,
    row: ({ is_running, reasons, nodes, shards, ...rest }) => ({
      ...rest,
      // `confab cluster nodes` and `confab cluster status` list them.
      ...(Array.isArray(nodes) ? { nodes: nodes.length } : {}),
      ...(Array.isArray(shards) ? { shards_owned: ownedBy(rest['node'], shards) } : {}),
      // An empty list says no more than that the server is ready.
      ...(Array.isArray(reasons) && reasons.length > 0 ? { reasons: reasons.join('; ') } : {}),
    }),
  },
  'cluster status': {
    isList: true,
    row: ({ shard, owner, epoch, sequence, holders, state, pinned_to }) => ({
      shard,
      owner: owner ?? 'nobody',
      epoch,
      newest_record: sequence,
      holders: Array.isArray(holders) ? holders.map(holderText).toSorted() : '',
      this_node: state,
      pinned_to: pinned_to ?? '',
    }),
  },
  'cluster nodes': {
    isList: true,
    row: ({ node, address, version, shards_owned, copies, is_leaving, is_drained }) => ({
      node,
      address,
      version: version ?? 'older',
      shards_owned,
      copies,
      takes_shards: is_drained === true ? 'no, drained' : !is_leaving,
    }),
  },
  'cluster move': { isList: false },
  'cluster unpin': { isList: false },
  'cluster drain': { isList: false },
  'cluster undrain': { isList: false },
  'cluster upgrade': {
    isList: true,
    row: ({ shard, owner, former_schema, schema }) => ({
      shard,
      owner: owner ?? 'nobody',
      schema,
      was: former_schema,
    }),
  },
  'cluster verify': {
    isList: true,
    row: ({ shard, is_equal, realms, rows, agree, differ, not_compared }) => ({
      shard,
      is_equal,
      realms,
      rows,
      agree,
      ...differenceOf(differ as readonly Row[], not_compared as readonly Row[]),
    }),
  },
  'cluster snapshot': { isList: true, nothing: 'This node follows no realm.' },
  'cluster adopt': { isList: true, nothing: 'The cluster has all of its realms.' },
  'cluster leave': { isList: true },
  'cluster rebuild-log': { isList: true, nothing: 'This node has no realms.' },
  'push test': {
    isList: true,
    nothing: 'This person has no device that gets pushes: pages and apps register them.',
  },
  'ldap sync': { isList: true, nothing: 'No realm of this server follows a directory.' },
  'backup status': { isList: false },
  'backup list': {
    isList: true,
    nothing: 'This folder has no backups.',
    row: ({ backup, is_complete, at, bytes, why }) => ({
      backup,
      state: is_complete ? 'ok' : 'fail',
      at,
      ...(bytes === undefined ? {} : { bytes }),
      ...(why === undefined ? {} : { why }),
    }),
  },
  demo: {
    isList: true,
    row: ({ full_name, role, is_bot, email, password, api_key }) => ({
      name: full_name,
      role: is_bot ? 'bot' : role,
      email,
      password,
      api_key,
    }),
  },
  doctor: {
    isList: true,
    row: ({ result, check, says }) => ({ '': result, check, says }),
    after: (rows) => {
      const advice = rows
        .filter(({ advice: text }) => typeof text === 'string')
        .map(({ check, advice: text }) => `${check}: ${text}`);
      return advice.length === 0
        ? ''
        : `\nWhat to do:\n${advice.map((one) => `- ${one}\n`).join('')}`;
    },
  },
  init: {
    isList: false,
    after: ([made]) =>
      `\nKeep ${made?.['password'] === undefined ? 'the key' : 'the password and the key'}: they are not shown again.
Next:
- \`confab serve\` starts the server${made?.['url'] === undefined ? '' : `; clients log in at ${made['url']}`}.
- \`confab user create --email … --name …\` makes further accounts.
- \`confab doctor\` examines this machine and the settings.
`,
  },
};

/** Says in one line at which nodes copies differ; JSON has all of them. */
function differenceOf(differ: readonly Row[], notCompared: readonly Row[]): Row {
  const all = [
    ...differ.map(({ node, realm, tables, is_missing }) => {
      const names = (tables as readonly string[]).join(', ');
      if (is_missing) return `${node}: realm ${realm} is missing`;
      return `${node}: realm ${realm}${names === '' ? '' : `, ${names}`}`;
    }),
    ...notCompared.map(({ node, why }) => `${node}: ${why}`),
  ];
  if (all.length === 0) return {};
  const more = all.length - NAMED_MAX;
  const shown = all.slice(0, NAMED_MAX).join('; ');
  return { not_the_same: more > 0 ? `${shown}; ${more} more` : shown };
}

/** So many copies are named in a line. */
const NAMED_MAX = 5;

function ownedBy(node: unknown, shards: readonly Row[]): string {
  const owned = shards.filter(({ owner }) => owner === node);
  return `${owned.length} of ${shards.length}`;
}

function keyIsNotShownAgain(rows: readonly Row[]): string {
  return rows.length === 0 ? '' : '\nKeep what you need of this: keys are not shown again.\n';
}

/** Says how the person can log in with a client that asks for a password. */
const howToLogIn = ({ email, has_password }: Row) =>
  has_password === true
    ? 'The person logs in with the password.\n'
    : `There is no password yet: \`confab user password-link --email ${email}\` makes a link for setting one.\n`;

/** Returns what an act has changed, in one line: `role 400 → 200, …`. */
function changesOf(before: Row | null, after: Row | null): string {
  const names = Object.keys({ ...before, ...after });
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return names
    .map((name) => {
      if (before === null) return `${name} ${textOf(after?.[name])}`;
      if (after === null) return `${name} ${textOf(before[name])}`;
      return `${name} ${textOf(before[name])} → ${textOf(after[name])}`;
    })
    .join(', ');
}

function stateOf(isServed: unknown, isActive: unknown): string {
  if (isServed === false) return 'not served';
  return isActive === false ? 'deactivated' : 'active';
}

const roleWord = (role: unknown) =>
  roleName(Object.values(Role).find((known) => known === role) ?? Role.member);

/** A holder, and how many records of the log it lacks. */
const holderText = ({ node, lag }: { readonly node: string; readonly lag: number }) =>
  lag === 0 ? node : `${node} (-${lag})`;
