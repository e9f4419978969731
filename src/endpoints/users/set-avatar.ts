import { avatarUrl } from '../../domain/wire/objects.ts';
import * as avatarChanges from '../../operations/users/avatar-changes.ts';
import { endpoint } from '../endpoint.ts';
import { AVATAR_SHAPES } from '../files/avatar-shapes.ts';
import { receiveImage } from '../files/receive-image.ts';
import { anyUser } from '../permissions.ts';

export const setAvatar = endpoint({
  summary: 'Upload an image of yourself',
  description:
    'The body is `multipart/form-data` with exactly one image of at most 5 MiB, of which a square is shown; it is drawn ' +
    'anew, and does not move. Where `avatar_changes_disabled` is set, for administrators alone.',
  method: 'POST',
  path: '/users/me/avatar',
  rate: 'upload',
  allow: anyUser,
  streams: true,
  params: {},
  reply: { avatar_url: avatarUrl },
  refuses: ['BAD_REQUEST', 'BAD_IMAGE'],
  emits: ['realm_user', 'realm_bot'],
  exchange(request, { realm, transport, answer, refuse }) {
    // The check comes first, so that 5 MiB are not sent in vain.
    avatarChanges.refuseLocked(realm.reader, request.user);
    receiveImage(realm, request, transport.body, {
      what: 'avatar',
      shapes: AVATAR_SHAPES,
      keep: (tx, { user, images: { small, medium } }) =>
        avatarChanges.set(tx, user, { small: small.still, medium: medium.still }),
    }).then(answer, refuse);
  },
});
