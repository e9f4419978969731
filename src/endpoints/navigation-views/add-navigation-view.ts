import * as navigationViews from '../../operations/personal/navigation-views.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { fragment, viewName } from './view-params.ts';

export const addNavigationView = endpoint({
  summary: 'Add a navigation view of your own, or customise a built-in one',
  method: 'POST',
  path: '/navigation_views',
  allow: anyUser,
  params: { fragment, is_pinned: boolean, name: viewName.optional() },
  refuses: ['BAD_REQUEST'],
  emits: ['navigation_view'],
  change: (tx, { user, params }) =>
    navigationViews.add(tx, user.id, {
      fragment: params.fragment,
      isPinned: params.is_pinned,
      name: params.name,
    }),
});
