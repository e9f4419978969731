import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { iconReply } from './realm-image-shapes.ts';

export const removeIcon = endpoint({
  summary: 'Show the built-in icon again',
  method: 'DELETE',
  path: '/realm/icon',
  allow: administratorsOnly,
  params: {},
  reply: iconReply,
  refuses: ['UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm'],
  change: (tx, { site }) => {
    realmImages.set(tx, site, { image: 'icon', stored: null });
    return realmImages.find(tx, site, 'icon');
  },
});
