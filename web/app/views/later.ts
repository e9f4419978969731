import { once } from '../parts/once.ts';

/** Loads what follows events and sends messages, once. */
export const loadFollowing = once(async () => {
  const { openFollowing } = await import('../net/following.ts');
  openFollowing();
});

/** Loads what one writes with, once. */
export const loadWriting = once(async () => {
  // What is written is sent by it.
  await loadFollowing();
  const { openWriting, sendPart, Writing, writing } = await import('./compose/writing.tsx');
  openWriting(sendPart);
  return { Writing, writing };
});
