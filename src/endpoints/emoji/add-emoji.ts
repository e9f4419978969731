import * as customEmoji from '../../operations/files/custom-emoji.ts';
import { endpoint } from '../endpoint.ts';
import { EMOJI_SHAPE } from '../files/avatar-shapes.ts';
import { receiveImage } from '../files/receive-image.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const addEmoji = endpoint({
  summary: 'Add a custom emoji',
  description:
    'The body is `multipart/form-data` with exactly one image of at most 5 MiB, under any field name; it is drawn anew, ' +
    'as a PNG or, when it moves, as a WebP. For whom `can_add_custom_emoji_group` says; only administrators take the ' +
    'name of a built-in emoji.',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  rate: 'upload',
  allow: anyUser,
  streams: true,
  params: {
    emoji_name: text.describe(
      'Lower-case letters, digits, `-` and `_`; a space is taken for `_`. Ends in a letter or a digit',
    ),
  },
  refuses: ['BAD_REQUEST', 'BAD_IMAGE'],
  emits: ['realm_emoji'],
  exchange(request, { realm, transport, answer, refuse }) {
    const { user, params } = request;
    const name = customEmoji.acceptableName(realm.reader, user, params.emoji_name);
    receiveImage(realm, request, transport.body, {
      what: 'file',
      shapes: { emoji: EMOJI_SHAPE },
      keep: (tx, { user, images }) => customEmoji.add(tx, user, { name, images: images.emoji }),
    }).then(() => answer({}), refuse);
  },
});
