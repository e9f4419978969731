import { isDeepStrictEqual } from 'node:util';
import type { GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmRow } from '../../../storage/tables/realm/realm.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import {
  isRealmPermission,
  type PlainPropertyName,
  type RealmProperties,
  type RealmPropertyName,
  valuesOf,
} from '../../domain/rules/realm/realm-setting-values.ts';
import { shownSetting } from '../../domain/rules/realm/realm-state.ts';
import { aliasOfSetting, withAliases } from '../../domain/rules/texts/aliases.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import { isOwner } from '../../domain/wire/roles.ts';
import type { RealmPermissionName } from '../../domain/wire/settings/permission-settings.ts';
import type { AuthenticationMethod } from '../../domain/wire/settings/realm-settings.ts';
import type { Caller, Site } from '../access/caller.ts';
import { hasContentAccess, hasMetadataAccess } from '../access/channel-access.ts';
import * as eventQueues from '../access/event-queues.ts';
import {
  acceptableForRealm,
  refuseOutdated,
  type SettingChange,
  shown,
} from '../access/group-settings.ts';
import { type Reads, realmSettings } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import { methodsOf } from '../access/second-steps.ts';
import { signInEntries } from '../access/sign-in.ts';
import * as fullMembers from '../groups/full-members.ts';

/** The changes of the organization in a request; values have the form of their settings. */
export interface RealmChange {
  readonly plain: { readonly [Name in PlainPropertyName]?: RealmProperties[Name] };
  /** The methods by their names, as they were given. */
  readonly methods: Readonly<Record<string, boolean>> | undefined;
  /** The first label of its host name. */
  readonly stringId: string | undefined;
  readonly permissions: { readonly [Name in RealmPermissionName]?: SettingChange };
}

/**
 * Changes the organization for one of its administrators. Returns the changed values, texts as
 * `updated`.
 */
export function change(
  tx: RealmTransaction,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  given: RealmChange,
) {
  const { methods, permissions, stringId } = given;
  const plain = {
    ...given.plain,
    ...(methods === undefined
      ? {}
      : { authentication_methods: acceptableMethods(tx, site, methods) }),
  };
  // The keys are names of settings; `Object.keys` loses them in its type.
  const plainNames = Object.keys(plain) as PlainPropertyName[];
  const permissionNames = Object.keys(permissions) as RealmPermissionName[];
  refuseOwnersOnly(user, [...plainNames, ...permissionNames]);
  if (plain.require_second_step === true && methodsOf(tx, user.id).length === 0) {
    throw errors.badRequest('Add a second step to your own account first.');
  }
  const changed: Record<string, unknown> = {};
  refuseRenaming(tx, user, stringId);
  if (isRenaming(tx, stringId)) {
    realms.rename(tx, stringId);
    changed['string_id'] = 'updated';
  }
  for (const name of plainNames) {
    const value = plain[name];
    if (CHANNELS.has(name)) refuseChannel(tx, user, { name, channelId: Number(value) });
    if (setHere(tx, site.settings, { name, value }))
      changed[name] = typeof value === 'string' ? 'updated' : value;
  }
  for (const name of permissionNames) {
    const requested = permissions[name];
    if (requested === undefined) continue;
    refuseOutdated(tx, realmSettings(tx)[name], requested);
    if (set(tx, name, requested.new)) changed[name] = shown(tx, realmSettings(tx)[name]);
  }
  return withAliases(changed, site.settings.aliasPrefix);
}

interface Setting {
  readonly name: RealmPropertyName;
  readonly value: unknown;
}

/**
 * Stores a setting, and tells of it also by the other name that clients of this site may know it
 * by.
 */
export function setHere(
  tx: RealmTransaction,
  { aliasPrefix }: ServerSettings,
  { name, value }: Setting,
): boolean {
  if (!set(tx, name, value)) return false;
  const alias = aliasOfSetting(name, aliasPrefix);
  if (alias === undefined) return true;
  // The event is declared by the name used inside.
  const event = { type: 'realm', op: 'update', property: alias, value } as LoggedEvent;
  tx.emit({ event, audience: { everyone: true } });
  return true;
}

/** Refuses a new name of the organization, except by owners. */
export function refuseRenaming(reads: Reads, { role }: UserRow, stringId: string | undefined) {
  if (isRenaming(reads, stringId) && !isOwner(role)) throw mustBeOwner();
}

const isRenaming = (reads: Reads, stringId: string | undefined): stringId is string =>
  stringId !== undefined && stringId !== reads.realm.get(['realm'])?.stringId;

/** Jobs of the realm are due at another time after a change of these. */
const WAKING: ReadonlySet<string> = new Set([
  'message_retention_days',
  'digest_emails_enabled',
  'digest_weekday',
]);

/**
 * Stores one setting of the organization and announces it (reference/events-and-register.md 4.5).
 * Returns false if it was unchanged.
 */
export function set(tx: RealmTransaction, name: RealmPropertyName, given: unknown): boolean {
  const row = realms.existing(tx);
  const value = acceptable(tx, name, given);
  const former = name in row ? row[name as keyof RealmRow] : realmSettings(tx)[name as never];
  if (isDeepStrictEqual(former, value)) return false;
  tx.realm.put(
    ['realm'],
    name === 'name' || name === 'description'
      ? { ...row, [name]: value }
      : { ...row, settings: { ...row.settings, [name]: value } },
  );
  announce(tx, name, { former, value });
  if (WAKING.has(name)) tx.wakeAt(tx.now);
  if (name === 'waiting_period_threshold') fullMembers.settle(tx);
  if (name === 'can_access_all_users_group') eventQueues.endOfGuests(tx);
  return true;
}

/** Returns the value as it is stored; refuses an invalid one. */
function acceptable(tx: RealmTransaction, name: RealmPropertyName, given: unknown): unknown {
  const parsed = valuesOf(name).safeParse(given);
  if (!parsed.success) {
    throw errors.invalidVariable(name, typeof given === 'number' ? given : JSON.stringify(given));
  }
  if (!isRealmPermission(name)) return parsed.data;
  return acceptableForRealm(tx, name, parsed.data as GroupSetting); // by the schema of permissions
}

interface Values {
  readonly former: unknown;
  readonly value: unknown;
}

/** Announces a setting as clients see it, if that has changed. */
function announce(tx: RealmTransaction, name: RealmPropertyName, { former, value }: Values) {
  const current = isRealmPermission(name)
    ? shown(tx, value as GroupSetting) // a permission is of this form
    : shownSetting(name, value);
  if (isDeepStrictEqual(current, shownSetting(name, former))) return;
  tx.emit({ event: eventOf(name, current), audience: { everyone: true } });
}

function eventOf(name: RealmPropertyName, value: unknown): LoggedEvent {
  const data =
    name === 'topics_policy'
      ? { topics_policy: value, mandatory_topics: value === 'disable_empty_topic' }
      : { [name]: value };
  // The value has the type of its setting, which was checked above.
  return (
    isRealmPermission(name) || TOLD_TOGETHER.has(name)
      ? { type: 'realm', op: 'update_dict', property: 'default', data }
      : { type: 'realm', op: 'update', property: name, value }
  ) as LoggedEvent;
}

const TOLD_TOGETHER: ReadonlySet<string> = new Set([
  'topics_policy',
  'allow_message_editing',
  'message_content_edit_limit_seconds',
  'authentication_methods',
]);

/**
 * Settings that only owners may change: "Owner only: authentication, retention, invite,
 * group-management and domain settings, `waiting_period_threshold`" (reference/endpoints.md 2.7).
 */
const OWNERS_ONLY: ReadonlySet<string> = new Set<RealmPropertyName>([
  'authentication_methods',
  'message_retention_days',
  'invite_required',
  'require_second_step',
  'can_invite_users_group',
  'create_multiuse_invite_group',
  'can_create_groups',
  'can_manage_all_groups',
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'waiting_period_threshold',
]);

function refuseOwnersOnly({ role }: UserRow, names: readonly string[]) {
  if (!isOwner(role) && names.some((name) => OWNERS_ONLY.has(name))) {
    throw mustBeOwner();
  }
}

const mustBeOwner = () => errors.unauthorizedPrincipal('Must be an organization owner');

/**
 * Returns the methods; at least one way to log in has to remain. A directory or a provider of the
 * operator's is one; tokens of another service are none, as no page takes them.
 */
function acceptableMethods(
  reads: Reads,
  site: Site,
  { Email, ...others }: Readonly<Record<string, boolean>>,
): Readonly<Record<AuthenticationMethod, boolean>> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw errors.badRequest(
      `Invalid authentication method: ${cutTo(unknown, 100)}. Valid methods are: Email`,
    );
  }
  if (Email === true) return { Email };
  const hasOther = (['openid', 'ldap'] as const).some(
    (type) => signInEntries(reads, site, type).length > 0,
  );
  if (Email === false && hasOther) return { Email };
  throw errors.badRequest('At least one authentication method must be enabled.');
}

/** Settings in which -1 stands for no channel. */
const CHANNELS: ReadonlySet<string> = new Set<RealmPropertyName>([
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'service_update_announcements_stream_id',
  'moderation_request_channel_id',
]);

/**
 * Refuses a channel that does not suit its setting: announcements need a readable one, moderation
 * requests a private one.
 */
function refuseChannel(
  tx: RealmTransaction,
  user: UserRow,
  { name, channelId }: { readonly name: string; readonly channelId: number },
) {
  if (channelId === -1) return;
  const channel = tx.channels.get([channelId]);
  if (channel === undefined || channel.isArchived) throw errors.invalidChannelId();
  const isModeration = name === 'moderation_request_channel_id';
  const mayName = isModeration ? hasMetadataAccess : hasContentAccess;
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (!mayName(tx, { user, channel, subscription })) throw errors.invalidChannelId();
  if (isModeration && !channel.isPrivate) {
    throw errors.badRequest('Moderation request channel must be private.');
  }
}
