import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { logoOf, logoReply, night } from './realm-image-shapes.ts';

export const removeLogo = endpoint({
  summary: 'Show a built-in logo again',
  method: 'DELETE',
  path: '/realm/logo',
  allow: administratorsOnly,
  params: { night },
  reply: logoReply,
  refuses: ['UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm'],
  change: (tx, { site, params }) => {
    const image = logoOf(params.night);
    realmImages.set(tx, site, { image, stored: null });
    return realmImages.find(tx, site, image);
  },
});
