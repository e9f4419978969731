import * as navigationViews from '../../operations/personal/navigation-views.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { viewName } from './view-params.ts';

export const updateNavigationView = endpoint({
  summary: 'Change a navigation view',
  method: 'PATCH',
  path: '/navigation_views/{fragment...}',
  allow: anyUser,
  params: {
    fragment: text.trim(),
    is_pinned: boolean.optional().describe('False: hidden in the menu'),
    name: viewName.optional(),
  },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
  emits: ['navigation_view'],
  change: (tx, { user, params }) =>
    navigationViews.update(tx, user.id, {
      fragment: params.fragment,
      isPinned: params.is_pinned,
      name: params.name,
    }),
});
