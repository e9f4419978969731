/** The status of the account, which others see beside its name. */
import { app } from '../app.ts';

export interface OwnStatus {
  readonly text: string;
  /** The name of an emoji; empty for none. */
  readonly emoji: string;
}

export const setStatus = ({ text, emoji }: OwnStatus) =>
  app.chat.call('POST', '/users/me/status', { status_text: text.trim(), emoji_name: emoji });

/** Statuses that are set with one click. */
export const STATUSES: readonly OwnStatus[] = [
  { text: 'In a meeting', emoji: 'calendar' },
  { text: 'Commuting', emoji: 'bus' },
  { text: 'At home', emoji: 'house' },
  { text: 'Out sick', emoji: 'sick' },
  { text: 'On vacation', emoji: 'palm_tree' },
];
