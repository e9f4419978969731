import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { IMPORTED_ROWS_PER_STEP_MAX } from '../../domain/limits/archives.ts';
import { ApiError, badRequest } from '../../domain/wire/errors.ts';
import { reactionType } from '../../domain/wire/objects.ts';
import type { RealmTransaction, Site } from '../../operations/access/caller.ts';
import * as eventQueues from '../../operations/access/event-queues.ts';
import * as attachments from '../../operations/files/attachments.ts';
import { enterChoice, importedChoice } from '../../operations/importing/choices.ts';
import * as groups from '../../operations/importing/groups.ts';
import * as history from '../../operations/importing/history.ts';
import * as images from '../../operations/importing/images.ts';
import { quiet, remember } from '../../operations/importing/imported-ids.ts';
import * as people from '../../operations/importing/people.ts';
import { enterPermissions } from '../../operations/importing/permissions.ts';
import { openTopicTally } from '../../operations/importing/topic-tally.ts';
import type { Realms } from '../deployment.ts';
import { inTurn, noteImported, sliceMs, turnOfImport } from './import-pace.ts';
import { found } from './on-realm.ts';
import { wrongArgument } from './refusals.ts';

/** The steps of an import, which its own process asks the server for, in their order. */
const of = { realm: z.string(), source: z.string().max(300), format: z.string().max(50) };
/** Each row is parsed when it is entered, so that a step is not read as a whole. */
const rows = z.array(z.unknown()).max(IMPORTED_ROWS_PER_STEP_MAX);
const text = z.string();
const time = z.number().int().nonnegative();
const ids = z.array(z.int());

const user = z.object({
  id: text,
  email: text.optional(),
  name: text,
  bot: z.boolean().optional(),
  owner: text.optional(),
  role: z.enum(['owner', 'administrator', 'moderator', 'member', 'guest']).optional(),
  timezone: text.optional(),
  joinedAt: time.optional(),
});
const look = z.object({
  color: text.regex(/^#[0-9a-f]{6}$/).optional(),
  isMuted: z.boolean().optional(),
  isPinned: z.boolean().optional(),
  desktopNotifications: z.boolean().optional(),
  audibleNotifications: z.boolean().optional(),
  pushNotifications: z.boolean().optional(),
  emailNotifications: z.boolean().optional(),
  wildcardMentionsNotify: z.boolean().optional(),
});
const subscriber = z.object({ id: text, readUntil: time.optional(), look: look.optional() });
const permissions = z.record(text, z.object({ users: z.array(text), groups: z.array(text) }));
const channel = z.object({
  id: text,
  name: text,
  description: text,
  private: z.boolean(),
  webPublic: z.boolean().optional(),
  ownHistory: z.boolean().optional(),
  createdAt: time.optional(),
  creator: text.optional(),
  default: z.boolean().optional(),
  retentionDays: z.int().min(-1).optional(),
  permissions: permissions.optional(),
});
const group = z.object({
  id: text,
  name: text,
  description: text,
  subgroups: z.array(text).optional(),
});
const message = z.object({
  id: text,
  senderId: z.int(),
  to: z.union([z.object({ channelId: z.int(), topic: text }), z.object({ userIds: ids })]),
  sentAt: time,
  editedAt: time.nullable(),
  movedAt: time.nullable(),
  changes: z.array(
    z.object({
      userId: z.int(),
      at: time,
      before: z.object({
        content: text.optional(),
        renderedContent: text.optional(),
        topic: text.optional(),
        channelId: z.int().optional(),
      }),
      after: z.object({ topic: text.optional(), channelId: z.int().optional() }),
    }),
  ),
  content: text,
  html: text,
  mentionedUserIds: ids,
  reactions: z.array(z.object({ name: text, code: text, type: reactionType, userIds: ids })),
  starredBy: ids,
  unreadBy: ids,
  notReadBy: ids,
  readBy: ids,
});

const member = z.object({ group: text, user: text });
const permitted = z.object({ id: text, permissions });
const fileName = z.object({ folder: text, file: text });

const STEPS = {
  'import begin': z.object({ ...of, title: text.optional() }),
  'import users': z.object({ ...of, rows }),
  'import groups': z.object({ ...of, rows }),
  'import members': z.object({ ...of, rows }),
  'import permissions': z.object({ ...of, rows }),
  'import channels': z.object({ ...of, rows }),
  'import announce': z.object(of),
  'import file': z.object({
    ...of,
    entry: text,
    ownerId: z.int(),
    pathId: text,
    name: text,
    size: z.int().nonnegative(),
    contentType: text,
    image: z
      .object({ width: z.int(), height: z.int(), isAnimated: z.boolean(), isReady: z.boolean() })
      .nullable(),
  }),
  'import avatar': z.object({ ...of, userId: z.int(), small: fileName, medium: fileName }),
  'import image': z.object({
    ...of,
    image: z.enum(['icon', 'logo', 'night_logo']),
    stored: fileName,
  }),
  'import emoji': z.object({
    ...of,
    name: text,
    authorId: z.int().nullable(),
    images: z.object({ still: fileName, moving: fileName.nullable() }),
  }),
  'import messages': z.object({ ...of, rows }),
  'import choices': z.object({ ...of, rows }),
  'import subscribers': z.object({ ...of, channel: text, subscribers: rows }),
  'import archive': z.object({ ...of, channel: text }),
  'import end': z.object({ ...of, added: z.record(text, z.int()) }),
} as const;

export type ImportStep = keyof typeof STEPS;
type Args<Name extends ImportStep> = z.output<(typeof STEPS)[Name]>;

/** The steps of many rows, which are entered in the order in which the steps begin. */
const OF_ROWS: ReadonlySet<string> = new Set<ImportStep>([
  'import users',
  'import groups',
  'import members',
  'import permissions',
  'import channels',
  'import messages',
  'import choices',
  'import subscribers',
]);

/** Tells whether a step may begin while the one before it is under way. */
export const isStepOfRows = (command: string): boolean => OF_ROWS.has(command);

export const isImportStep = (command: string): command is ImportStep =>
  Object.hasOwn(STEPS, command);

/** Runs one step, and returns what it did. */
export async function runImportStep(
  realms: Realms,
  name: ImportStep,
  args: unknown,
): Promise<object> {
  const parsed = STEPS[name].safeParse(args);
  if (!parsed.success) throw wrongArgument(`a step of an import: ${parsed.error.message}`);
  if (realms.settings.cluster !== null) {
    throw badRequest(
      'confab import works on servers without a cluster: import first, then `confab cluster adopt`',
    );
  }
  const run = RUN[name] as (realms: Realms, args: unknown) => Promise<object>;
  return await run(realms, parsed.data); // parsed by its own schema
}

async function begin(realms: Realms, { realm: name, title, source, format }: Args<'import begin'>) {
  const isServed = realms.unserved().every(({ names }) => !names.includes(name));
  if (isServed && realms.named(name) === undefined) {
    await realms.create({ stringId: name, name: title ?? name }, (tx) => {
      tx.imports.put([source], { format, begunAt: tx.now, endedAt: null, keepsRoles: true });
    });
  }
  const realm = found(realms, name);
  if (realm.reader.realm.get(['realm'])?.isActive === false) {
    throw badRequest(`The realm '${name}' is deactivated`);
  }
  const site = realms.siteOf(realm);
  const others = await asOperator(realm, (tx) => {
    const before = tx.imports.get([source]);
    const { begunAt = tx.now, keepsRoles = false } = before ?? {};
    const known = before === undefined ? othersOf(tx, format) : [];
    tx.imports.put([source], { format, begunAt, endedAt: null, keepsRoles });
    tx.audit({ kind: 'import', op: 'add', target: source, after: { format } });
    return known;
  });
  const { settings: _settings, ...shown } = site;
  return { realm_id: realm.id, site: shown, others };
}

/** Returns the sources of the format that came before; a new one may be the same one again. */
const othersOf = (tx: RealmTransaction, format: string): string[] =>
  [...tx.imports.range({})].filter(([, row]) => row.format === format).map(([[source]]) => source);

const asOperator = <Reply>(realm: Realm, operation: (tx: RealmTransaction) => Reply) =>
  realm.perform((tx) => {
    tx.actAs('operator');
    return operation(tx);
  });

type Of = Pick<Args<'import end'>, 'realm' | 'source' | 'format'>;

/** Enters a row, and returns what became of it. */
type Enter<Row> = (tx: RealmTransaction, of: history.ImportingMessages, row: Row) => string;

interface Entering<Row> {
  readonly rows: readonly Row[];
  readonly enter: Enter<Row>;
}

/** Enters rows as they were sent. One that is not of this shape is refused, like any other. */
const parsed =
  <Row>(shape: z.ZodType<Row>, enter: Enter<Row>): Enter<unknown> =>
  (tx, of, row) => {
    const result = shape.safeParse(row);
    if (!result.success) throw wrongArgument(`a row of an import: ${result.error.message}`);
    return enter(tx, of, result.data);
  };

/**
 * Has each row of a step entered, and counts what became of them. Rows are entered in operations
 * that others hardly notice, several in a commit, with turns of others in between.
 */
async function eachOf<Row>(
  realms: Realms,
  { realm: name, source, format }: Of,
  { rows, enter }: Entering<Row>,
) {
  const realm = found(realms, name);
  const site: Site = realms.siteOf(realm);
  const slices = await realm.performInTurns<Slice>({
    next: (before) => {
      const from = before.reduce((sum, { words }) => sum + words.length, 0);
      if (from >= rows.length) return undefined;
      // An operation that is run again ends where it did before: the next one begins there.
      let until: Until = { ms: sliceMs(realms) };
      return (tx) => {
        tx.actAs('operator');
        const keepsRoles = tx.imports.get([source])?.keepsRoles ?? false;
        const of = { source, format, site, keepsRoles };
        const slice = inTurn(realms, () => sliceOf(tx, of, { rows, enter, from, until }));
        until = { count: slice.words.length };
        noteImported(realms, slice.words.length);
        return slice;
      };
    },
    turn: () => turnOfImport(realms),
  });
  const counts: Record<string, number> = {};
  for (const word of slices.flatMap(({ words }) => words)) counts[word] = (counts[word] ?? 0) + 1;
  return { counts, refused: slices.flatMap(({ refused }) => refused) };
}

/** Tells what became of the rows of an operation. */
interface Slice {
  readonly words: readonly string[];
  readonly refused: readonly { readonly index: number; readonly why: string }[];
}

/** An operation ends after a time, or with so many rows. */
type Until = { readonly ms: number } | { readonly count: number };

interface SliceInput<Row> extends Entering<Row> {
  readonly from: number;
  readonly until: Until;
}

/** Enters rows until an operation is to end. */
function sliceOf<Row>(
  tx: RealmTransaction,
  of: people.Importing,
  { rows, enter, from, until }: SliceInput<Row>,
): Slice {
  const begunAt = performance.now();
  const importing = { ...of, tally: openTopicTally() };
  const words: string[] = [];
  const refused: { readonly index: number; readonly why: string }[] = [];
  for (let index = from; index < rows.length; index++) {
    try {
      words.push(enter(tx, importing, rows[index] as Row));
    } catch (error) {
      // Refusals come before anything of the row is written.
      if (!(error instanceof ApiError)) throw error;
      words.push('refused');
      refused.push({ index, why: error.message });
    }
    const isOver =
      'ms' in until ? performance.now() - begunAt >= until.ms : words.length === until.count;
    if (isOver) break;
  }
  importing.tally.writeTo(tx);
  return { words, refused };
}

const RUN: {
  readonly [Name in ImportStep]: (realms: Realms, args: Args<Name>) => Promise<object>;
} = {
  'import begin': begin,
  'import users': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(user, people.enterUser) }),
  'import groups': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(group, groups.enterGroup) }),
  'import members': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(member, groups.enterMember) }),
  'import permissions': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(permitted, enterPermissions) }),
  'import channels': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(channel, people.enterChannel) }),
  'import announce': async (realms, { realm }) => {
    await asOperator(found(realms, realm), eventQueues.endAll);
    return {};
  },
  'import file': async (realms, { realm, source, entry, ownerId, format: _, ...file }) => {
    await asOperator(found(realms, realm), (tx) => {
      const owner = tx.users.get([ownerId]);
      if (owner === undefined) throw badRequest(`There is no user ${ownerId}`);
      const to = attachments.add(quiet(tx), owner, file);
      remember(tx, source, 'file', { from: entry, to });
    });
    return {};
  },
  'import avatar': (realms, { userId, small, medium, ...given }) =>
    eachOf(realms, given, { rows: [{ userId, small, medium }], enter: images.enterAvatar }),
  'import image': (realms, { image, stored, ...given }) =>
    eachOf(realms, given, { rows: [{ image, stored }], enter: images.enterRealmImage }),
  'import emoji': (realms, { name, authorId, images: drawn, ...given }) =>
    eachOf(realms, given, { rows: [{ name, authorId, images: drawn }], enter: images.enterEmoji }),
  'import messages': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(message, history.enterMessage) }),
  'import choices': (realms, { rows, ...given }) =>
    eachOf(realms, given, { rows, enter: parsed(importedChoice, enterChoice) }),
  'import subscribers': (realms, { channel: id, subscribers, ...given }) =>
    eachOf(realms, given, {
      rows: subscribers,
      enter: parsed(subscriber, (tx, importing, one) =>
        people.subscribe(tx, importing, { channel: id, subscriber: one }) ? 'added' : 'known',
      ),
    }),
  'import archive': (realms, { channel: id, ...given }) =>
    eachOf(realms, given, {
      rows: [id],
      enter: (tx, importing, one) => {
        people.archive(tx, importing, one);
        return 'archived';
      },
    }),
  'import end': async (realms, { realm, source, format, added }) => {
    await asOperator(found(realms, realm), (tx) => {
      const row = tx.imports.get([source]);
      if (row === undefined) throw badRequest(`There is no import '${source}'`);
      tx.imports.put([source], { ...row, endedAt: tx.now });
      tx.audit({ kind: 'import', op: 'update', target: source, after: { format, ...added } });
      if (Object.values(added).some((count) => count > 0)) eventQueues.endAll(tx);
    });
    return {};
  },
};
