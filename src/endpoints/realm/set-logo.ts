import * as errors from '../../domain/wire/errors.ts';
import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { receiveImage } from '../files/receive-image.ts';
import { administratorsOnly } from '../permissions.ts';
import { LOGO, logoOf, logoReply, night } from './realm-image-shapes.ts';

export const setLogo = endpoint({
  summary: 'Set a logo of the organization',
  description:
    'The body is `multipart/form-data` with exactly one image of at most 5 MiB. `night` is in the query, or a field of the ' +
    'body.',
  method: 'POST',
  path: '/realm/logo',
  rate: 'upload',
  allow: administratorsOnly,
  streams: true,
  params: { night: night.optional() },
  reply: logoReply,
  refuses: ['BAD_REQUEST', 'BAD_IMAGE', 'REQUEST_VARIABLE_MISSING', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm'],
  exchange(request, { realm, transport, answer, refuse }) {
    const { site, params } = request;
    receiveImage(realm, request, transport.body, {
      what: 'logo',
      shapes: { logo: LOGO },
      keep: (tx, { user, images, fields }) => {
        administratorsOnly(user);
        const image = logoOf(params.night ?? nightIn(fields));
        realmImages.set(tx, site, { image, stored: images.logo.still });
        return realmImages.find(tx, site, image);
      },
    }).then(answer, refuse);
  },
});

function nightIn({ night: given }: Readonly<Record<string, string>>): boolean {
  if (given === undefined) throw errors.missingParameter('night');
  if (given === 'true' || given === 'false') return given === 'true';
  throw errors.badRequest('night is not a boolean');
}
