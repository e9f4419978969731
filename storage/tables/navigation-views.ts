import { table } from '../table.ts';

export interface NavigationViewRow {
  readonly isPinned: boolean;
  /** Null for a built-in view. */
  readonly name: string | null;
}

/** By user, then by what identifies a view to them: a user has few, and each is looked up by it. */
export const navigationViews = table<[userId: number, fragment: string], NavigationViewRow>(
  'navigation_views',
  ['isPinned', 'name'],
);
