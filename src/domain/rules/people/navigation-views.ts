/**
 * Views that every account has; a row is stored only when one is customised (reference/endpoints.md
 * 1.16).
 */
const BUILT_IN: ReadonlySet<string> = new Set([
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
]);

export const isBuiltIn = (fragment: string) => BUILT_IN.has(fragment);
