import { loadFollowing } from '../net/connection.ts';
import { once } from '../net/once.ts';

/** Loads what one writes with, once. */
export const loadWriting = once(async () => {
  // It sends what is written.
  await loadFollowing();
  const { openWriting, files, Writing, writing } = await import('./compose/writing.tsx');
  openWriting(files);
  return { Writing, writing };
});
