import { table } from '../../table.ts';

/**
 * The words that a user wants to be notified of, as written, in the order they came. They are
 * always read and announced together.
 */
export const alertWords = table<[userId: number], { readonly words: readonly string[] }>(
  'alert_words',
  ['words'],
);

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

/** The hints that a user has seen; what is left is derived, so that a new hint needs no row. */
export const onboardingSteps = table<[userId: number, name: string], object>(
  'onboarding_steps',
  [],
);
