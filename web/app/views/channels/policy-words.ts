import type { Policy } from '../../store/shapes.ts';

/** The decisions about a topic, in words. */
export const POLICY_WORDS: readonly (readonly [Policy, words: string])[] = [
  ['none', 'As the channel'],
  ['followed', 'Followed'],
  ['unmuted', 'Shown though the channel is muted'],
  ['muted', 'Muted'],
];
