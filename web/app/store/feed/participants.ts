import type { Message } from './message.ts';

/** Returns those who wrote messages, the one who wrote last first. */
export function participantsOf(messages: readonly Message[]): readonly number[] {
  const found = new Set<number>();
  for (let at = messages.length - 1; at >= 0; at -= 1) found.add(messages[at]?.sender_id ?? 0);
  return [...found];
}
