import { z } from 'zod';
import { navigationView } from '../../domain/wire/personal-objects.ts';
import * as navigationViews from '../../operations/personal/navigation-views.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getNavigationViews = endpoint({
  summary: 'Get the navigation views that you customised or made',
  method: 'GET',
  path: '/navigation_views',
  allow: anyUser,
  params: {},
  reply: { navigation_views: z.array(navigationView) },
  read: (reader, { user }) => ({ navigation_views: navigationViews.list(reader, user.id) }),
});
