import type { SubscriptionRow } from '../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../storage/tables/people/users.ts';
import type { RealmRow } from '../../storage/tables/realm/realm.ts';
import { dummyEmail, rolesThatSeeEmail } from '../domain/rules/people/users.ts';
import { FlagBit } from '../domain/wire/flags.ts';
import { Role } from '../domain/wire/roles.ts';
import type { RealmSettings } from '../domain/wire/settings/realm-settings.ts';
import type { UserSettingName } from '../domain/wire/settings/user-settings.ts';
import type { Scope } from './scope.ts';

// The parts of rows that are in an archive for administrators.

/** Flags that follow from the message, and so are not private. */
const SHARED_FLAG_BITS =
  FlagBit.mentioned |
  FlagBit.stream_wildcard_mentioned |
  FlagBit.topic_wildcard_mentioned |
  FlagBit.delivered;

/** Returns the flags of a message that its owner need not consent to. */
export const sharedBits = (bits: number): number => bits & SHARED_FLAG_BITS;

/** Returns a subscription without its personal settings, and with everything read. */
export const unmarked = (row: SubscriptionRow, scope: Scope): SubscriptionRow => ({
  ...row,
  color: PLAIN_COLOR,
  isMuted: false,
  isPinned: false,
  desktopNotifications: null,
  audibleNotifications: null,
  pushNotifications: null,
  emailNotifications: null,
  wildcardMentionsNotify: null,
  readThrough: scope.lastMessageId,
});

const PLAIN_COLOR = '#c2c2c2';

/**
 * Privacy settings. They are kept without consent: an account without them would show more than its
 * owner wants.
 */
const DISCRETION = [
  'allow_private_data_export',
  'email_address_visibility',
  'presence_enabled',
  'send_private_typing_notifications',
  'send_read_receipts',
  'send_stream_typing_notifications',
] as const satisfies readonly UserSettingName[];

/** Returns the address of the site alone, whose path may let somebody in. */
export const siteOf = (url: string) => (URL.canParse(url) ? `${new URL(url).origin}/` : '');

/** Returns an account without its password, and without private settings if it does not consent. */
export function withoutSecrets(row: UserRow, scope: Scope): UserRow {
  const email = hidesEmail(row, scope) ? hiddenEmail(row.id) : row.email;
  const open = { ...row, email, passwordHash: null };
  if (scope.consents(row.id)) return open;
  const kept = DISCRETION.filter((name) => row.settings[name] !== undefined);
  return { ...open, settings: Object.fromEntries(kept.map((name) => [name, row.settings[name]])) };
}

/**
 * Tells whether even administrators may not see the address, so that the archive hides it as well.
 */
export const hidesEmail = (user: UserRow, scope: Scope): boolean =>
  !user.isSystem && !scope.consents(user.id) && rolesThatSeeEmail(user) < Role.administrator;

/** Returns an address at a domain that no mail reaches (RFC 2606). */
export const hiddenEmail = (userId: number) => dummyEmail(userId, 'hidden.invalid');

const CHANNEL_SETTINGS = [
  'moderation_request_channel_id',
  'new_stream_announcements_stream_id',
  'service_update_announcements_stream_id',
  'signup_announcements_stream_id',
] as const satisfies readonly (keyof RealmSettings)[];

/** Clears settings that name a channel which is not in the archive. */
export function withoutHidden(row: RealmRow, scope: Scope): RealmRow {
  const hidden = CHANNEL_SETTINGS.filter((name) => {
    const id = row.settings[name] ?? -1;
    return id !== -1 && !scope.has('channel', id);
  });
  return {
    ...row,
    settings: { ...row.settings, ...Object.fromEntries(hidden.map((name) => [name, -1])) },
  };
}
