import { loadFollowing } from '../net/connection.ts';
import { once } from '../store/once.ts';

/** Loads what one writes with, once. */
export const loadWriting = once(async () => {
  // What is written is sent by it.
  await loadFollowing();
  const { openWriting, files, Writing, writing } = await import('./compose/writing.tsx');
  openWriting(files);
  return { Writing, writing };
});
