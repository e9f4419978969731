import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { app } from './app.ts';
import { names, ownId } from './model.ts';
import { noted } from './recents.ts';
import { INBOX, keyOf, parseRoute, placeOf, printRoute, type Route, withoutSelf } from './route.ts';
import { placeKey } from './shapes.ts';
import { type Heading, headingOf } from './title.ts';

/** The address of what is shown. */
const written = signal<Route>(INBOX);

/** The route of the view that is shown. */
export const route: ReadonlySignal<Route> = computed(() =>
  app.phase.value === 'open' ? withoutSelf(written.value, ownId.value) : written.value,
);

export const heading: ReadonlySignal<Heading> = computed(() => headingOf(route.value, names));

/** The keys of the places that were shown, newest first. */
export const recents = signal<readonly string[]>([]);

/** Asks for what a route shows; resolves when it may be shown, which for most routes is at once. */
type Prepare = (to: Route) => Promise<unknown> | null;

let prepare: Prepare = () => null;

/** Says how a route is prepared. */
export function prepareWith(how: Prepare): void {
  prepare = how;
}

let last: Route;

/** Takes the hash of the address. What is shown changes as a whole, and once. */
export function arrive(hash: string): void {
  const to = parseRoute(hash);
  last = to;
  const show = () => {
    // Another step may have been taken meanwhile.
    if (to !== last) return;
    batch(() => {
      written.value = to;
      recents.value = noted(recents.value, targetKey(to));
    });
  };
  const prepared = prepare(to);
  if (prepared === null) show();
  else void prepared.then(show);
}

/** Returns the address of a route, for links. */
export const hrefOf = (to: Route): string => printRoute(to, names);

/** Returns a text that is the same for the same view, channel or conversation. */
export function targetKey(to: Route): string {
  if (to.view === 'topics') return `topics ${to.channelId}`;
  if (to.view !== 'narrow') return to.view;
  const place = placeOf(to.narrow);
  return place === null ? `narrow ${keyOf(to.narrow)}` : placeKey(place);
}

const shownKey = computed(() => targetKey(route.value));

/** Tests whether a route is what is shown. */
export const isShown = (to: Route): boolean => targetKey(to) === shownKey.value;

let go: (href: string, isReplaced: boolean) => void = () => undefined;

/** Says how the address is changed. */
export function openNavigation(changeAddress: typeof go): void {
  go = changeAddress;
}

export const navigate = (to: Route): void => go(hrefOf(to), false);

/** Goes to a route in the place of the one that is shown, so that "back" skips it. */
export const replace = (to: Route): void => go(hrefOf(to), true);
