import * as realmImages from '../../operations/files/realm-images.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { iconReply } from './realm-image-shapes.ts';

export const getIcon = endpoint({
  summary: 'Get where the icon of the organization is',
  method: 'GET',
  path: '/realm/icon',
  allow: anyUser,
  params: {},
  reply: iconReply,
  read: (reader, { site }) => realmImages.find(reader, site, 'icon'),
});
