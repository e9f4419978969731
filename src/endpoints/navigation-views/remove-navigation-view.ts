import * as navigationViews from '../../operations/personal/navigation-views.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const removeNavigationView = endpoint({
  summary: 'Remove a navigation view, or what you changed of a built-in one',
  method: 'DELETE',
  path: '/navigation_views/{fragment...}',
  allow: anyUser,
  params: { fragment: text.trim() },
  refuses: ['NOT_FOUND'],
  emits: ['navigation_view'],
  change: (tx, { user, params }) => navigationViews.remove(tx, user.id, params.fragment),
});
