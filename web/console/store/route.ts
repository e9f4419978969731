import { signal } from '@preact/signals';

/** The views in the order of the menu; the first is shown without a hash. */
export const VIEWS = [
  'now',
  'charts',
  'log',
  'actors',
  'realms',
  'users',
  'audit',
  'connections',
  'cluster',
  'gateways',
  'outbox',
  'backups',
  'checks',
] as const;
export type View = (typeof VIEWS)[number];

/** The view and what follows it: `#users/demo`. */
export interface Route {
  readonly view: View;
  readonly rest: string;
}

export const route = signal<Route>(routeIn(location.hash));

function routeIn(hash: string): Route {
  const [name = '', ...rest] = hash.slice(1).split('/').map(decodeURIComponent);
  return { view: VIEWS.find((view) => view === name) ?? 'now', rest: rest.join('/') };
}

addEventListener('hashchange', () => {
  route.value = routeIn(location.hash);
  // Readers of screens begin with what is new, as after a page that was loaded.
  document.getElementById('view')?.focus();
});
