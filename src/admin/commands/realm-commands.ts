import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import { isRealmProperty } from '../../domain/rules/realm/realm-setting-values.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import { hashPassword } from '../../endpoints/server/password-hash.ts';
import { accounts } from '../../operations/access/groups.ts';
import { deactivate, existing, reactivate, rename } from '../../operations/access/realms.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import * as realmSettings from '../../operations/realm/settings.ts';
import * as users from '../../operations/users/users.ts';
import type { Realms } from '../deployment.ts';
import { exportTo } from '../export-to.ts';
import { found, onRealm, realmName } from './on-realm.ts';

const oneRealm = z.object({ realm: realmName });

/** The arguments of the commands on realms. */
export const REALM_ARGS = {
  init: z.object({
    realm: z.string().default('main'),
    title: z.string().optional(),
    email: z.string(),
    name: z.string(),
    password: z.string().optional(),
  }),
  'realm create': z.object({ name: z.string(), title: z.string().optional() }),
  'realm list': z.object({}),
  'realm show': oneRealm,
  'realm rename': z.object({ realm: realmName, to: z.string() }),
  'realm deactivate': oneRealm,
  'realm reactivate': oneRealm,
  'realm delete': z.object({
    name: z.string(),
    yes: z.literal(true, { error: 'is missing, which says that it is meant' }),
  }),
  'realm set': z.object({ realm: realmName, setting: z.string(), value: z.unknown() }),
  'realm export': z.object({
    realm: realmName,
    file: z.string().refine(isAbsolute, 'is not absolute'),
    kind: z
      .enum(['whole', 'standard', 'public'], { error: 'is none of whole, standard, public' })
      .default('whole'),
  }),
  'realm import': z.object({
    file: z.string().refine(isAbsolute, 'is not absolute'),
    name: z.string(),
  }),
} as const;

type Args<Name extends keyof typeof REALM_ARGS> = z.output<(typeof REALM_ARGS)[Name]>;

export const REALM_COMMANDS: {
  [Name in keyof typeof REALM_ARGS]: (realms: Realms, args: Args<Name>) => Promise<object[]>;
} = {
  init: makeFirst,
  'realm create': async (realms, { name, title }) => {
    const realm = await realms.create({ stringId: name, name: title ?? name });
    return [{ realm_id: realm.id, realm: realm.stringId }];
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
  'realm show': async (realms, { realm }) => [described(realms, found(realms, realm))],
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
    const { stringId } = found(realms, realm);
    await onRealm(realms, stringId, (tx) => deactivate(tx, null));
    // The clients have got the event of the deactivation by now.
    await onRealm(realms, stringId, sessions.endAllOfRealm);
    return [{ realm: stringId, is_active: false }];
  },
  'realm reactivate': async (realms, { realm }) => {
    const { stringId } = found(realms, realm);
    await onRealm(realms, stringId, reactivate);
    return [{ realm: stringId, is_active: true }];
  },
  'realm delete': remove,
  'realm set': async (realms, { realm, setting, value }) => [
    await onRealm(realms, realm, (tx, site) => {
      if (!isRealmProperty(setting)) {
        throw errors.badRequest(`There is no setting '${setting}'`);
      }
      realmSettings.setHere(tx, site.settings, { name: setting, value });
      return { realm: existing(tx).stringId, setting, value };
    }),
  ],
  'realm export': async (realms, { realm, ...options }) => {
    const exported = found(realms, realm);
    // A full disk takes no rows, and this may be how its data is rescued.
    if (!exported.space.isFull()) {
      await onRealm(realms, realm, (tx) =>
        tx.audit({ kind: 'export', op: 'add', target: 'archive', after: { kind: options.kind } }),
      );
    }
    return [await exportTo(exported, options)];
  },
  'realm import': async (realms, { file, name }) => {
    try {
      const realm = await realms.adopt(name, file);
      return [{ realm_id: realm.id, realm: realm.stringId }];
    } catch (error) {
      if (error instanceof ArchiveError) throw errors.badRequest(error.message);
      throw error;
    }
  },
};

/** Makes the first realm with its owner, both or none. */
async function makeFirst(realms: Realms, args: Args<'init'>): Promise<object[]> {
  if (realms.all().length + realms.unserved().length > 0) {
    throw errors.badRequest(
      `${realms.path} has a realm already; \`confab realm create\` makes further ones`,
    );
  }
  const password = args.password ?? randomBytes(12).toString('base64url');
  const passwordHash = await hashPassword(password);
  const made = { owner: '', apiKey: '' };
  const { realm: stringId, title = stringId } = args;
  const realm = await realms.create({ stringId, name: title }, (tx, site) => {
    const account = { email: args.email, fullName: args.name, role: Role.owner, passwordHash };
    const owner = users.create(tx, account, site);
    made.owner = owner.email;
    made.apiKey = users.issueApiKey(tx, owner.id, 'command');
  });
  return [
    {
      realm: realm.stringId,
      url: realms.siteOf(realm).settledUrl,
      owner: made.owner,
      ...(args.password === undefined ? { password } : {}),
      api_key: made.apiKey,
    },
  ];
}

/** Removes a realm whose name is typed as it is now: a former one may be a mistake. */
async function remove(realms: Realms, { name }: Args<'realm delete'>): Promise<object[]> {
  const realm = found(realms, name);
  const { stringId, isActive, deletableAt } = existing(realm.reader);
  if (stringId !== name) throw errors.badRequest(`The name of this realm is now '${stringId}'`);
  if (isActive) {
    throw errors.badRequest(
      `'${name}' is active. Deactivate it first: confab realm deactivate --realm ${name}`,
    );
  }
  if (deletableAt !== null && realm.now() < deletableAt * 1000) {
    throw errors.badRequest(
      `The owner of '${name}' wants it kept until ${new Date(deletableAt * 1000).toISOString()}`,
    );
  }
  await realms.remove(realm);
  return [{ realm_id: realm.id, realm: name, is_deleted: true }];
}

/** Returns fields of a deactivated realm: that it is, and when it may be deleted. */
function standingOf({ reader }: Realm) {
  const { isActive = true, deletableAt = null } = reader.realm.get(['realm']) ?? {};
  if (isActive) return {};
  const at = deletableAt === null ? null : new Date(deletableAt * 1000).toISOString();
  return { is_active: false, deletable_at: at };
}

function described(realms: Realms, realm: Realm): object {
  const row = existing(realm.reader);
  const counts = { people: 0, bots: 0, deactivated: 0 };
  for (const { isActive, botType } of accounts(realm.reader)) {
    if (!isActive) counts.deactivated += 1;
    else if (botType === null) counts.people += 1;
    else counts.bots += 1;
  }
  return {
    realm_id: realm.id,
    realm: row.stringId,
    title: row.name,
    url: realms.siteOf(realm).settledUrl,
    is_active: row.isActive,
    ...standingOf(realm),
    created_at: new Date(row.dateCreated * 1000).toISOString(),
    ...counts,
    channels: Array.from(realm.reader.channels.keys({})).length,
    former_names: row.formerStringIds,
  };
}
