import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';
import { GRAVATAR_URL } from '../../domain/rules/people/gravatar.ts';

type Addressed = Pick<UserRow, 'id' | 'avatarVersion' | 'isSystem'>;
type WithAvatar = Addressed & Pick<UserRow, 'uploadedAvatar'>;

/**
 * Returns the URL at which a client gets the image of an account (specification, "User": "avatar
 * URLs end with `?v=` and this value"). It starts at the root of the realm, so it is valid under
 * every host name of the realm, and contains only the account's id. `avatar-images.ts` finds the
 * image.
 */
export const avatarUrl = (user: Addressed): string => addressOf(user, '');

const mediumAvatarUrl = (user: Addressed): string => addressOf(user, '/medium');

/** System bots have a "static URL" (reference/events-and-register.md 3.1). */
const addressOf = ({ id, avatarVersion, isSystem }: Addressed, size: '' | '/medium') =>
  `${isSystem ? SYSTEM_BOT_IMAGE : `/avatar/${id}${size}`}?v=${avatarVersion}`;

export const SYSTEM_BOT_IMAGE = '/static/notification-bot.png';

/** The image of an account that a guest may not see, which has version 1 for them. */
export const UNKNOWN_AVATAR_URL = '/static/unknown-user.png?v=1';

/** Returns the fields of a user's image, for their own account and for `realm_user` events. */
export const avatarUpdate = (user: WithAvatar) => ({
  avatar_url: avatarUrl(user),
  avatar_url_medium: mediumAvatarUrl(user),
  avatar_source: user.uploadedAvatar === null ? ('G' as const) : ('U' as const),
  avatar_version: user.avatarVersion,
});

/** Returns the account with a new version, after its image may have changed. */
export const withNewAvatar = (user: UserRow): UserRow => ({
  ...user,
  avatarVersion: user.avatarVersion + 1,
});

/**
 * Tests whether a client that sees the real address can find the image by it: clients know only
 * one such service, and nothing of uploaded images.
 */
export const isLeftToClients = (
  { isSystem, uploadedAvatar }: Pick<WithAvatar, 'isSystem' | 'uploadedAvatar'>,
  { gravatarUrl }: ServerSettings,
): boolean => !isSystem && uploadedAvatar === null && gravatarUrl === GRAVATAR_URL;
