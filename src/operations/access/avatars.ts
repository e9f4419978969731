import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';
import { GRAVATAR_URL } from '../../domain/rules/people/gravatar.ts';

type Addressed = Pick<UserRow, 'id' | 'avatarVersion' | 'isSystem'>;
type Pictured = Addressed & Pick<UserRow, 'uploadedAvatar'>;

/**
 * Where a client finds the picture of an account (specification, "User": "avatar URLs end with `?v=` and this value"). From
 * the root of the realm, so it is right under every host name that the realm is called by; of the account it tells the id
 * alone. What is there is found by `avatar-images.ts`.
 */
export const avatarUrl = (user: Addressed): string => addressOf(user, '');

const mediumAvatarUrl = (user: Addressed): string => addressOf(user, '/medium');

/** "System bots: static URL" (reference/events-and-register.md 3.1). */
const addressOf = ({ id, avatarVersion, isSystem }: Addressed, size: '' | '/medium') =>
  `${isSystem ? SYSTEM_BOT_PICTURE : `/avatar/${id}${size}`}?v=${avatarVersion}`;

export const SYSTEM_BOT_PICTURE = '/static/notification-bot.png';

/** What stands for an account that a guest may not see, which has version 1 for them. */
export const UNKNOWN_AVATAR_URL = '/static/unknown-user.png?v=1';

/** What a user's image is, as their own account and a `realm_user` event tell it. */
export const avatarUpdate = (user: Pictured) => ({
  avatar_url: avatarUrl(user),
  avatar_url_medium: mediumAvatarUrl(user),
  avatar_source: user.uploadedAvatar === null ? ('G' as const) : ('U' as const),
  avatar_version: user.avatarVersion,
});

/** The account once its picture may be another one. */
export const withNewAvatar = (user: UserRow): UserRow => ({
  ...user,
  avatarVersion: user.avatarVersion + 1,
});

/**
 * Whether a client that sees the real address can find the picture by it: clients know of one such service alone, and
 * nothing of what was uploaded here.
 */
export const isLeftToClients = (
  { isSystem, uploadedAvatar }: Pick<Pictured, 'isSystem' | 'uploadedAvatar'>,
  { gravatarUrl }: ServerSettings,
): boolean => !isSystem && uploadedAvatar === null && gravatarUrl === GRAVATAR_URL;
