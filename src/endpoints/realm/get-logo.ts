import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { logoOf, logoReply, night } from './realm-image-shapes.ts';

export const getLogo = endpoint({
  summary: 'Get where a logo of the organization is',
  method: 'GET',
  path: '/realm/logo',
  allow: anyUser,
  params: { night },
  reply: logoReply,
  read: (reader, { site, params }) => realmImages.find(reader, site, logoOf(params.night)),
});
