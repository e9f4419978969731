import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { receiveImage } from '../files/receive-image.ts';
import { administratorsOnly } from '../permissions.ts';
import { ICON, iconReply } from './realm-image-shapes.ts';

export const setIcon = endpoint({
  summary: 'Set the icon of the organization',
  description:
    'The body is `multipart/form-data` with exactly one image of at most 5 MiB, of which a square is shown.',
  method: 'POST',
  path: '/realm/icon',
  rate: 'upload',
  allow: administratorsOnly,
  streams: true,
  params: {},
  reply: iconReply,
  refuses: ['BAD_REQUEST', 'BAD_IMAGE', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm'],
  exchange(request, { realm, transport, answer, refuse }) {
    const { site } = request;
    receiveImage(realm, request, transport.body, {
      what: 'icon',
      shapes: { icon: ICON },
      keep: (tx, { user, images }) => {
        administratorsOnly(user);
        realmImages.set(tx, site, { image: 'icon', stored: images.icon.still });
        return realmImages.find(tx, site, 'icon');
      },
    }).then(answer, refuse);
  },
});
