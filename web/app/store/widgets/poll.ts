import type { Message } from '../feed/message.ts';
import { CANNED, fieldsIn, listIn, nextIndex, textIn, valueIn } from './widget.ts';

export interface PollOption {
  readonly key: string;
  readonly text: string;
  /** The ids of those who voted for it, in the order in which they did. */
  readonly voters: readonly number[];
}

export interface Poll {
  readonly question: string;
  readonly options: readonly PollOption[];
}

/** Something that is done to a poll, as it is posted. */
export type PollAction =
  | { readonly type: 'vote'; readonly key: string; readonly vote: 1 | -1 }
  | { readonly type: 'new_option'; readonly idx: number; readonly option: string }
  | { readonly type: 'question'; readonly question: string };

/**
 * Returns a poll as its submessages say, in their order. An option that is there already stays as
 * it is, and a vote counts once, as in other clients.
 */
export function pollOf(message: Pick<Message, 'submessages' | 'sender_id'>): Poll {
  const [first, ...rest] = message.submessages ?? [];
  const given = fieldsIn(first === undefined ? {} : valueIn(first)['extra_data']);
  const options = new Map<string, { readonly text: string; readonly voters: Set<number> }>();
  const add = (key: string, text: string) => {
    const isThere = options.has(key) || [...options.values()].some((one) => one.text === text);
    if (text !== '' && !isThere) options.set(key, { text, voters: new Set() });
  };
  let question = textIn(given['question']);
  for (const [index, text] of listIn(given['options']).entries()) {
    add(`${CANNED},${index}`, textIn(text));
  }
  for (const submessage of rest) {
    const { sender_id: by } = submessage;
    const action = valueIn(submessage);
    if (action['type'] === 'new_option') add(`${by},${action['idx']}`, textIn(action['option']));
    if (action['type'] === 'question' && by === message.sender_id) {
      question = textIn(action['question']);
    }
    if (action['type'] !== 'vote') continue;
    const voters = options.get(textIn(action['key']))?.voters;
    if (action['vote'] === 1) voters?.add(by);
    else voters?.delete(by);
  }
  return {
    question,
    options: [...options].map(([key, { text, voters }]) => ({ key, text, voters: [...voters] })),
  };
}

/** Returns the action that votes for an option, or takes one's vote back. */
export const votedFor = ({ key, voters }: PollOption, userId: number): PollAction => ({
  type: 'vote',
  key,
  vote: voters.includes(userId) ? -1 : 1,
});

/** Returns the action that adds an option; null if nothing or what is there would be added. */
export function addedOption(
  { submessages }: Pick<Message, 'submessages' | 'sender_id'>,
  poll: Poll,
  { text, userId }: { readonly text: string; readonly userId: number },
): PollAction | null {
  const option = text.trim();
  if (option === '' || poll.options.some((one) => one.text === option)) return null;
  const used = (submessages ?? []).flatMap((one) => {
    const { type, idx } = valueIn(one);
    return type === 'new_option' ? [`${one.sender_id},${idx}`] : [];
  });
  return { type: 'new_option', idx: nextIndex(used, userId), option };
}
