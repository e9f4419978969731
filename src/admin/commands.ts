import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { ArchiveError } from '../archives/archive-error.ts';
import type { ServerSettings } from '../config.ts';
import { isRealmProperty } from '../domain/rules/realm/realm-setting-values.ts';
import { faultWords } from '../domain/rules/texts/fault-words.ts';
import { isWebhookUrl } from '../domain/wire/bot-types.ts';
import * as errors from '../domain/wire/errors.ts';
import { Role, type RoleName } from '../domain/wire/roles.ts';
import { hashPassword } from '../endpoints/server/password-hash.ts';
import type { RealmTransaction, Site } from '../operations/access/caller.ts';
import * as eventQueues from '../operations/access/event-queues.ts';
import { accounts } from '../operations/access/groups.ts';
import { deactivate, reactivate, rename } from '../operations/access/realms.ts';
import * as bots from '../operations/bots/bots.ts';
import * as realmSettings from '../operations/realm/settings.ts';
import * as users from '../operations/users/users.ts';
import {
  BACKUP_COMMANDS,
  BACKUP_CREATE,
  BACKUP_STATUS,
  createHere,
  statusHere,
} from './backups.ts';
import { CHECK, check } from './checks.ts';
import type { Realms } from './deployment.ts';
import { exportTo } from './export-to.ts';

/** Accounts made in one transaction of an import: a few milliseconds of the realm's time. */
const IMPORTED_PER_COMMIT = 200;

const realmName = z.string().default('demo');
const roleName = z.enum(['owner', 'administrator', 'moderator', 'member', 'guest'], {
  error: 'is none of owner, administrator, moderator, member, guest',
});

const BOT_TYPES = ['generic', 'incoming-webhook', 'outgoing-webhook'] as const;

/** The commands on a data directory, which work with and without a server on it. */
const COMMANDS = {
  'backup create': BACKUP_CREATE,
  'backup status': BACKUP_STATUS,
  'realm create': {
    usage: 'realm create <name> [--title "Full name"]',
    args: z.object({ name: z.string(), title: z.string().optional() }),
  },
  'realm export': {
    usage: 'realm export --file <new file> [--kind whole|standard|public] [--realm demo]',
    args: z.object({
      realm: realmName,
      file: z.string().refine(isAbsolute, 'is not absolute'),
      kind: z
        .enum(['whole', 'standard', 'public'], { error: 'is none of whole, standard, public' })
        .default('whole'),
    }),
  },
  'realm import': {
    usage: 'realm import --file <archive> --name <name>',
    args: z.object({ file: z.string().refine(isAbsolute, 'is not absolute'), name: z.string() }),
  },
  'realm list': { usage: 'realm list', args: z.object({}) },
  'realm rename': {
    usage: 'realm rename --to <name> [--realm demo]',
    args: z.object({ realm: realmName, to: z.string() }),
  },
  'realm deactivate': {
    usage: 'realm deactivate [--realm demo]',
    args: z.object({ realm: realmName }),
  },
  'realm reactivate': {
    usage: 'realm reactivate [--realm demo]',
    args: z.object({ realm: realmName }),
  },
  'realm set': {
    usage: 'realm set --setting <name> --value <JSON> [--realm demo]',
    args: z.object({ realm: realmName, setting: z.string(), value: z.unknown() }),
  },
  'user create': {
    usage:
      'user create --email <address> --name <full name> [--role member] [--realm demo] [--password <text>]',
    args: z.object({
      realm: realmName,
      email: z.string(),
      name: z.string(),
      role: roleName.default('member'),
      password: z.string().optional(),
    }),
  },
  'user list': { usage: 'user list [--realm demo]', args: z.object({ realm: realmName }) },
  'users import': {
    usage: 'users import --file <jsonl of {"full_name","email"}> [--realm demo]',
    args: z.object({
      realm: realmName,
      users: z.array(z.object({ full_name: z.string(), email: z.string() })),
    }),
  },
  'bot create': {
    usage:
      'bot create --email <address> --name <full name> --owner <address> [--realm demo] ' +
      '[--type incoming-webhook] [--type outgoing-webhook --payload-url <URL> [--interface 1 or 2]]',
    args: z
      .object({
        realm: realmName,
        email: z.string(),
        name: z.string(),
        owner: z.string(),
        type: z.enum(BOT_TYPES, { error: `is none of ${BOT_TYPES.join(', ')}` }).default('generic'),
        'payload-url': z.string().refine(isWebhookUrl, 'is not a URL').optional(),
        interface: z.enum(['1', '2'], { error: 'is neither 1 nor 2' }).default('1'),
      })
      .refine((bot) => (bot.type === 'outgoing-webhook') === (bot['payload-url'] !== undefined), {
        path: ['payload-url'],
        message: 'goes with the type outgoing-webhook, and only with it',
      }),
  },
  'key create': {
    usage: 'key create --email <address> [--realm demo]',
    args: z.object({ realm: realmName, email: z.string() }),
  },
} as const;

export type CommandName = keyof typeof COMMANDS;
export const USAGES = [COMMANDS, BACKUP_COMMANDS, { check: CHECK }].flatMap((commands) =>
  Object.values(commands).map(({ usage }) => usage),
);
export const isCommand = (name: string) =>
  Object.hasOwn(COMMANDS, name) || isLocal(name) || isCheck(name);

/**
 * Runs a command and returns its output, which is printed as one JSON object a line. Refuses with
 * an `ApiError`.
 */
export async function runCommand(realms: Realms, name: string, args: unknown): Promise<object[]> {
  if (!Object.hasOwn(COMMANDS, name)) throw errors.badRequest(`Unknown command: ${name}`);
  const known = name as CommandName; // as was just seen
  return RUN[known](realms, argsOf(COMMANDS[known], args) as never); // parsed by its own schema
}

type LocalName = keyof typeof BACKUP_COMMANDS;

/** Tells whether a command needs neither a data directory nor a server. */
export const isLocal = (name: string): name is LocalName => Object.hasOwn(BACKUP_COMMANDS, name);

export const runLocal = (
  name: LocalName,
  args: unknown,
  { s3 }: ServerSettings,
): Promise<object[]> => BACKUP_COMMANDS[name].run(argsOf(BACKUP_COMMANDS[name], args) as never, s3); // as above

/** Returns whether the command reads a data directory itself, also while a server has it locked. */
export const isCheck = (name: string) => name === 'check';

export const runCheck = (data: string, args: unknown) =>
  check(data, argsOf(CHECK, args) as z.output<typeof CHECK.args>); // parsed by it

function argsOf({ args: schema, usage }: { args: z.ZodType; usage: string }, args: unknown) {
  const parsed = schema.safeParse(args, { error: faultWords });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw errors.badRequest(`${issue?.path.join('.')} ${issue?.message}. Usage: ${usage}`);
}

type Args<Name extends CommandName> = z.output<(typeof COMMANDS)[Name]['args']>;

const RUN: { [Name in CommandName]: (realms: Realms, args: Args<Name>) => Promise<object[]> } = {
  'backup create': createHere,
  'backup status': async (realms) => [statusHere(realms)],
  'realm create': async (realms, { name, title }) => {
    const realm = await realms.create({ stringId: name, name: title ?? name });
    return [{ realm_id: realm.id, realm: realm.stringId }];
  },
  'realm export': async (realms, { realm, ...options }) => [
    await exportTo(found(realms, realm), options),
  ],
  'realm import': async (realms, { file, name }) => {
    try {
      const realm = await realms.adopt(name, file);
      return [{ realm_id: realm.id, realm: realm.stringId }];
    } catch (error) {
      if (error instanceof ArchiveError) throw errors.badRequest(error.message);
      throw error;
    }
  },
  'realm list': async (realms) => [
    ...realms.all().map((realm) => ({
      realm_id: realm.id,
      realm: realm.stringId,
      ...standingOf(realm),
    })),
    ...realms.unserved().map(({ id, names, reason }) => ({
      realm_id: id,
      realm: names[0] ?? null,
      is_served: false,
      reason,
    })),
  ],
  'realm rename': async (realms, { realm, to }) => {
    const settle = realms.claimName(found(realms, realm), to);
    try {
      await onRealm(realms, realm, (tx) => rename(tx, to));
    } catch (error) {
      settle(false);
      throw error;
    }
    settle(true);
    return [{ realm: to }];
  },
  'realm deactivate': async (realms, { realm }) => {
    await onRealm(realms, realm, (tx) => deactivate(tx, null));
    // The clients have got the event of the deactivation by now.
    await onRealm(realms, realm, eventQueues.endAll);
    return [{ realm, is_active: false }];
  },
  'realm reactivate': async (realms, { realm }) => {
    await onRealm(realms, realm, reactivate);
    return [{ realm, is_active: true }];
  },
  'realm set': async (realms, { realm, setting, value }) => [
    await onRealm(realms, realm, (tx, site) => {
      if (!isRealmProperty(setting)) {
        throw errors.badRequest(`There is no setting '${setting}'`);
      }
      realmSettings.setHere(tx, site.settings, { name: setting, value });
      return { realm, setting, value };
    }),
  ],
  'user create': async (realms, args) => {
    const passwordHash = args.password === undefined ? null : await hashPassword(args.password);
    return [
      await onRealm(realms, args.realm, (tx, site) => {
        const role = Role[args.role satisfies RoleName];
        const user = users.create(
          tx,
          {
            email: args.email,
            fullName: args.name,
            role,
            ...(passwordHash === null ? {} : { passwordHash }),
          },
          site,
        );
        return withKey(tx, user);
      }),
    ];
  },
  'user list': async (realms, { realm }) =>
    Array.from(accounts(found(realms, realm).reader), (user) => ({
      user_id: user.id,
      email: user.email,
      full_name: user.fullName,
      role: user.role,
      is_bot: user.botType !== null,
      is_active: user.isActive,
    })),
  'users import': importUsers,
  'bot create': async (realms, { realm, email, name, owner, ...given }) => [
    await onRealm(realms, realm, (tx, site) => {
      const baseUrl = given['payload-url'];
      const service =
        baseUrl === undefined
          ? undefined
          : { baseUrl, interface: given.interface === '2' ? (2 as const) : (1 as const) };
      const isIncomingWebhook = given.type === 'incoming-webhook';
      const bot = { email, fullName: name, owner: known(tx, owner), service, isIncomingWebhook };
      return withKey(tx, bots.create(tx, site, bot));
    }),
  ],
  'key create': async (realms, { realm, email }) => [
    await onRealm(realms, realm, (tx) => withKey(tx, known(tx, email))),
  ],
};

/** Makes accounts. An address that has one already gets a further key. */
async function importUsers(realms: Realms, args: Args<'users import'>): Promise<object[]> {
  const lines: object[] = [];
  for (let start = 0; start < args.users.length; start += IMPORTED_PER_COMMIT) {
    const some = args.users.slice(start, start + IMPORTED_PER_COMMIT);
    lines.push(
      ...(await onRealm(realms, args.realm, (tx, site) =>
        some.map(({ full_name, email }) => {
          const id = tx.userEmails.get([email.toLowerCase()])?.userId;
          const existing = id === undefined ? undefined : tx.users.get([id]);
          const account = { email, fullName: full_name, role: Role.member };
          return withKey(tx, existing ?? users.create(tx, account, site));
        }),
      )),
    );
  }
  return lines;
}

/** Returns fields of a deactivated realm: that it is, and when it may be deleted. */
function standingOf({ reader }: Realm) {
  const { isActive = true, deletableAt = null } = reader.realm.get(['realm']) ?? {};
  if (isActive) return {};
  const at = deletableAt === null ? null : new Date(deletableAt * 1000).toISOString();
  return { is_active: false, deletable_at: at };
}

function onRealm<Reply>(
  realms: Realms,
  name: string,
  operation: (tx: RealmTransaction, site: Site) => Reply,
): Promise<Reply> {
  const realm = found(realms, name);
  const site = realms.siteOf(realm);
  return realm.perform((tx) => operation(tx, site));
}

function found(realms: Realms, name: string): Realm {
  const realm = realms.named(name);
  if (realm !== undefined) return realm;
  const unserved = realms.unserved().find(({ names }) => names.includes(name));
  throw errors.badRequest(unserved?.reason ?? `There is no realm '${name}'`);
}

function known(tx: RealmTransaction, email: string) {
  const id = tx.userEmails.get([email.trim().toLowerCase()])?.userId;
  const user = id === undefined ? undefined : tx.users.get([id]);
  if (user === undefined) throw errors.badRequest(`There is no user '${email}'`);
  return user;
}

const withKey = (tx: RealmTransaction, user: { readonly id: number; readonly email: string }) => ({
  user_id: user.id,
  email: user.email,
  api_key: users.issueApiKey(tx, user.id, 'command'),
});
