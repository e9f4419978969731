/** The keys. Single letters count only where no field has the focus. */

export type Command =
  | 'palette'
  | 'search'
  | 'help'
  | 'inbox'
  | 'recent'
  | 'all'
  | 'next-topic'
  | 'next-dm'
  | 'back'
  | 'message-down'
  | 'message-up'
  | 'message-first'
  | 'message-last'
  | 'narrow-channel'
  | 'narrow-topic'
  | 'reply'
  | 'compose'
  | 'compose-dm'
  | 'quote'
  | 'edit-last'
  | 'thumbs-up'
  | 'react'
  | 'star'
  | 'move'
  | 'mute-topic'
  | 'profile'
  | 'menu';

/** A key that was pressed, and where. */
export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** True if a field for text has the focus. */
  readonly isInField: boolean;
  /** True within something that has keys of its own, such as a dialog or a menu. */
  readonly isInDialog: boolean;
}

const SINGLE: Readonly<Record<string, Command | undefined>> = {
  __proto__: null as never,
  '/': 'search',
  '?': 'help',
  I: 'inbox',
  t: 'recent',
  a: 'all',
  n: 'next-topic',
  p: 'next-dm',
  j: 'message-down',
  k: 'message-up',
  S: 'narrow-topic',
  s: 'narrow-channel',
  r: 'reply',
  c: 'compose',
  x: 'compose-dm',
  '>': 'quote',
  e: 'edit-last',
  '+': 'thumbs-up',
  ':': 'react',
  '*': 'star',
  m: 'move',
  M: 'mute-topic',
  u: 'profile',
  i: 'menu',
};

/** Keys that are no characters: they stay when single letters are turned off. */
const NAMED: Readonly<Record<string, Command | undefined>> = {
  __proto__: null as never,
  ArrowDown: 'message-down',
  ArrowUp: 'message-up',
  Home: 'message-first',
  End: 'message-last',
  Escape: 'back',
};

/** Returns what a key does; null leaves it to the browser and to what has the focus. */
export function commandFor(press: Press, areLettersOn: boolean): Command | null {
  const { key, ctrl, shift, alt, isInField, isInDialog } = press;
  if (alt || isInDialog) return null;
  if (ctrl) {
    if (shift) return null;
    if (key.toLowerCase() === 'k') return 'palette';
    return key.toLowerCase() === 's' && !isInField ? 'star' : null;
  }
  if (isInField) return null;
  // With a capital letter on, Shift gives the small one; neither is what is meant.
  return NAMED[key] ?? (areLettersOn ? (SINGLE[key] ?? null) : null);
}

/** The help: keys in groups, as they are printed on a keyboard. */
export const KEYS_HELP: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string, what: string])[];
}[] = [
  {
    title: 'Go to',
    keys: [
      ['Ctrl K', 'anything, by its name'],
      ['/', 'search'],
      ['n', 'the next unread topic'],
      ['p', 'the next unread person'],
      ['Shift I', 'Inbox'],
      ['t', 'recent conversations'],
      ['a', 'all messages'],
      ['Esc', 'back out'],
    ],
  },
  {
    title: 'Read',
    keys: [
      ['j k', 'a message down, or up'],
      ['Home End', 'the first message, or the last'],
      ['s', 'the channel of the message'],
      ['Shift S', 'its topic'],
      ['u', 'who wrote it'],
    ],
  },
  {
    title: 'Write',
    keys: [
      ['r', 'a reply'],
      ['c', 'a new message'],
      ['x', 'a direct message'],
      ['>', 'a reply with a quote'],
      ['Ctrl Enter', 'send'],
      ['e', 'change your last message'],
    ],
  },
  {
    title: 'Act on a message',
    keys: [
      ['+', 'agree with 👍'],
      [':', 'react with an emoji'],
      ['*', 'star'],
      ['m', 'move its topic'],
      ['Shift M', 'mute its topic'],
      ['i', 'all that can be done'],
      ['?', 'these keys'],
    ],
  },
];
