import { z } from 'zod';
import type { RealmReader } from '../../../storage/transaction.ts';
import { isWebhookUrl } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role, type RoleName, roleName } from '../../domain/wire/roles.ts';
import { hashPassword } from '../../endpoints/server/password-hash.ts';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import { accounts } from '../../operations/access/groups.ts';
import { isReachable } from '../../operations/access/mails.ts';
import * as deactivation from '../../operations/accounts/deactivation.ts';
import * as ownAccounts from '../../operations/accounts/own-accounts.ts';
import * as passwords from '../../operations/accounts/passwords.ts';
import * as vouched from '../../operations/accounts/vouched.ts';
import * as bots from '../../operations/bots/bots.ts';
import * as roles from '../../operations/groups/roles.ts';
import * as tokens from '../../operations/scim/tokens.ts';
import * as secondSteps from '../../operations/second-steps/second-steps.ts';
import * as users from '../../operations/users/users.ts';
import type { Realms } from '../deployment.ts';
import { found, known, onRealm, realmName } from './on-realm.ts';
import { CLIENT, operator } from './operator.ts';

/** Accounts made in one transaction of an import: a few milliseconds of the realm's time. */
const IMPORTED_PER_COMMIT = 200;

const role = z.enum(['owner', 'administrator', 'moderator', 'member', 'guest'], {
  error: 'is none of owner, administrator, moderator, member, guest',
});
const BOT_TYPES = ['generic', 'incoming-webhook', 'outgoing-webhook'] as const;
const oneUser = z.object({ realm: realmName, email: z.string() });

/** The arguments of the commands on accounts. */
export const USER_ARGS = {
  'user create': z.object({
    realm: realmName,
    email: z.string(),
    name: z.string(),
    role: role.default('member'),
    password: z.string().optional(),
  }),
  'user list': z.object({ realm: realmName }),
  'user show': oneUser,
  'user role': oneUser.extend({ role }),
  'user password': oneUser.extend({ password: z.string() }),
  'user password-link': oneUser.extend({ mail: z.literal(true).optional() }),
  'user reset-2fa': oneUser,
  'user unlink': oneUser,
  'user deactivate': oneUser,
  'user reactivate': oneUser,
  'users import': z.object({
    realm: realmName,
    users: z.array(z.object({ full_name: z.string(), email: z.string() })),
  }),
  'bot create': z
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
  'key create': oneUser,
  'scim token': z.object({ realm: realmName, revoke: z.literal(true).optional() }),
} as const;

type Args<Name extends keyof typeof USER_ARGS> = z.output<(typeof USER_ARGS)[Name]>;

export const USER_COMMANDS: {
  [Name in keyof typeof USER_ARGS]: (realms: Realms, args: Args<Name>) => Promise<object[]>;
} = {
  'user create': async (realms, args) => {
    const passwordHash = args.password === undefined ? null : await hashPassword(args.password);
    return [
      await onRealm(realms, args.realm, (tx, site) => {
        const user = users.create(
          tx,
          {
            email: args.email,
            fullName: args.name,
            role: Role[args.role satisfies RoleName],
            ...(passwordHash === null ? {} : { passwordHash }),
          },
          site,
        );
        return { ...withKey(tx, user), has_password: passwordHash !== null };
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
  'user show': async (realms, { realm, email }) => [described(found(realms, realm).reader, email)],
  'user role': async (realms, { realm, email, role: name }) => [
    await onRealm(realms, realm, (tx, site) => {
      const user = known(tx, email);
      roles.change(tx, operator(tx, site).user, { user, role: Role[name satisfies RoleName] });
      return { user_id: user.id, email: user.email, role: name };
    }),
  ],
  'user password': async (realms, { realm, email, password }) => {
    found(realms, realm);
    const hash = await hashPassword(password);
    return [
      await onRealm(realms, realm, (tx, site) => {
        const user = known(tx, email);
        if (user.botType !== null) throw errors.badRequest('A bot has no password.');
        const formerHash = user.passwordHash;
        const change = { password: { hash, formerHash, keyHash: undefined } };
        ownAccounts.update(tx, { user, site, client: CLIENT }, change);
        return { user_id: user.id, email: user.email };
      }),
    ];
  },
  'user password-link': async (realms, { realm, email, mail }) => [
    await onRealm(realms, realm, (tx, site) => {
      const user = known(tx, email);
      const found = { user_id: user.id, email: user.email };
      if (mail) {
        if (!isReachable(user.email)) {
          throw errors.badRequest(`No mail reaches ${user.email}: make the link without --mail`);
        }
        const expiresAt = passwords.mailLink(tx, { user, site });
        return { ...found, mailed_to: user.email, expires_at: new Date(expiresAt).toISOString() };
      }
      const { url, expiresAt } = passwords.makeLink(tx, { user, site });
      return { ...found, url, expires_at: new Date(expiresAt).toISOString() };
    }),
  ],
  'user reset-2fa': async (realms, { realm, email }) => [
    await onRealm(realms, realm, (tx, site) => {
      const user = known(tx, email);
      if (user.botType !== null) throw errors.badRequest('A bot has no second step.');
      secondSteps.reset(tx, { user, site });
      return { user_id: user.id, email: user.email };
    }),
  ],
  'user unlink': async (realms, { realm, email }) => [
    await onRealm(realms, realm, (tx) => {
      const user = known(tx, email);
      return { user_id: user.id, email: user.email, forgotten: vouched.unlink(tx, user.id) };
    }),
  ],
  'user deactivate': async (realms, { realm, email }) => [
    await onRealm(realms, realm, (tx, site) => {
      const { id: userId, email: address, botType } = known(tx, email);
      if (botType !== null) deactivation.ofBot(tx, operator(tx, site), userId);
      else deactivation.ofPerson(tx, operator(tx, site), { userId, comment: undefined });
      return { user_id: userId, email: address, is_active: false };
    }),
  ],
  'user reactivate': async (realms, { realm, email }) => [
    await onRealm(realms, realm, (tx, site) => {
      const { id, email: address } = known(tx, email);
      deactivation.reactivate(tx, operator(tx, site), id);
      return { user_id: id, email: address, is_active: true };
    }),
  ],
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
  'scim token': async (realms, { realm, revoke }) => [
    await onRealm(realms, realm, (tx, { settledUrl }) => {
      const url = `${settledUrl}/scim/v2`;
      if (!revoke) return { url, ...scimToken(tx) };
      tokens.revoke(tx);
      return { url, revoked: true };
    }),
  ],
};

function scimToken(tx: RealmTransaction) {
  const { token, tokenId } = tokens.make(tx);
  return { token_id: tokenId, token };
}

function described(reader: RealmReader, email: string): object {
  const user = known(reader, email);
  const owner = user.botOwnerId === null ? undefined : reader.users.get([user.botOwnerId]);
  return {
    user_id: user.id,
    email: user.email,
    full_name: user.fullName,
    role: roleName(user.role),
    is_active: user.isActive,
    is_bot: user.botType !== null,
    ...(user.botType === null ? { has_password: user.passwordHash !== null } : {}),
    ...(owner === undefined ? {} : { owner: owner.email }),
    joined_at: new Date(user.dateJoined * 1000).toISOString(),
    timezone: user.timezone,
  };
}

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

const withKey = (tx: RealmTransaction, user: { readonly id: number; readonly email: string }) => ({
  user_id: user.id,
  email: user.email,
  api_key: users.issueApiKey(tx, user.id, 'command'),
});
