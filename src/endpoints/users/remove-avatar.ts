import { avatarUrl } from '../../domain/wire/objects.ts';
import * as avatarChanges from '../../operations/users/avatar-changes.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const removeAvatar = endpoint({
  summary: 'Remove the image of yourself that you uploaded',
  description:
    'You are shown as before any was uploaded. Where `avatar_changes_disabled` is set, for administrators alone.',
  method: 'DELETE',
  path: '/users/me/avatar',
  allow: anyUser,
  params: {},
  reply: { avatar_url: avatarUrl },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_user', 'realm_bot'],
  change: (tx, { user }) => avatarChanges.set(tx, user, null),
});
