import type { NavigationViewRow } from '../../../storage/tables/people/personal.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { NAVIGATION_VIEWS_PER_USER_MAX } from '../../domain/limits/accounts.ts';
import { isBuiltIn } from '../../domain/rules/people/navigation-views.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { NavigationViewObject } from '../../domain/wire/personal-objects.ts';
import type { Reads } from '../access/groups.ts';

/** Returns the views that a user has customised or made. */
export const list = (tx: Reads, userId: number): NavigationViewObject[] =>
  Array.from(tx.navigationViews.under([userId]), ([[, fragment], row]) =>
    navigationViewObject(fragment, row),
  );

export interface NewView {
  readonly fragment: string;
  readonly isPinned: boolean;
  readonly name: string | undefined;
}

export function add(tx: RealmTransaction, userId: number, view: NewView) {
  const { fragment, isPinned, name } = view;
  const views = list(tx, userId);
  if (views.some((known) => known.fragment === fragment)) {
    throw errors.badRequest('Navigation view already exists.');
  }
  if (views.length >= NAVIGATION_VIEWS_PER_USER_MAX) {
    throw errors.badRequest(
      `An account has at most ${NAVIGATION_VIEWS_PER_USER_MAX} navigation views.`,
    );
  }
  if (name !== undefined) refuseName(views, { fragment, name });
  else if (!isBuiltIn(fragment)) throw errors.badRequest('Custom views must have a valid name.');
  const row = { isPinned, name: name ?? null };
  tx.navigationViews.put([userId, fragment], row);
  const navigation_view = navigationViewObject(fragment, row);
  tx.emit({
    event: { type: 'navigation_view', op: 'add', navigation_view },
    audience: { users: [userId] },
  });
}

interface ViewChange {
  readonly isPinned: boolean | undefined;
  readonly name: string | undefined;
}

export function update(
  tx: RealmTransaction,
  userId: number,
  { fragment, isPinned, name }: ViewChange & { fragment: string },
) {
  const row = known(tx, userId, fragment);
  if (name !== undefined) refuseName(list(tx, userId), { fragment, name });
  const data = {
    ...(isPinned === undefined || isPinned === row.isPinned ? {} : { is_pinned: isPinned }),
    ...(name === undefined || name === row.name ? {} : { name }),
  };
  if (Object.keys(data).length === 0) return;
  tx.navigationViews.put([userId, fragment], {
    isPinned: isPinned ?? row.isPinned,
    name: name ?? row.name,
  });
  tx.emit({
    event: { type: 'navigation_view', op: 'update', fragment, data },
    audience: { users: [userId] },
  });
}

export function remove(tx: RealmTransaction, userId: number, fragment: string) {
  known(tx, userId, fragment);
  tx.navigationViews.remove([userId, fragment]);
  tx.emit({
    event: { type: 'navigation_view', op: 'remove', fragment },
    audience: { users: [userId] },
  });
}

function known(tx: RealmTransaction, userId: number, fragment: string): NavigationViewRow {
  const row = tx.navigationViews.get([userId, fragment]);
  if (row === undefined) throw errors.navigationViewNotFound();
  return row;
}

/** Refuses a name of a built-in view, and one that another view has. */
function refuseName(
  views: readonly NavigationViewObject[],
  { fragment, name }: { fragment: string; name: string },
) {
  if (isBuiltIn(fragment)) throw errors.badRequest('Built-in views cannot have a custom name.');
  if (views.some((view) => view.name === name && view.fragment !== fragment)) {
    throw errors.badRequest('Navigation view name already exists.');
  }
}

const navigationViewObject = (fragment: string, row: NavigationViewRow): NavigationViewObject => ({
  fragment,
  is_pinned: row.isPinned,
  name: row.name,
});
