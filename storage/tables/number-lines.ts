import { table } from '../table.ts';

/** What is numbered seldom; what every send numbers is in `counters`. */
export type NumberLine =
  | 'alertWord'
  | 'attachment'
  | 'channelFolder'
  | 'crowd'
  | 'defaultChannelGroup'
  | 'draft'
  | 'export'
  | 'group'
  | 'invitation'
  | 'inviteLink'
  | 'letter'
  | 'linkifier'
  /** Counts changes, so that what was made of the list is known to be of the present one. */
  | 'linkifierChange'
  | 'playground'
  | 'presence'
  | 'profileField'
  | 'pushWork'
  | 'realmEmoji'
  | 'reminder'
  | 'savedSnippet'
  | 'scheduledMessage'
  | 'searchSegment'
  | 'submessage';

/** The last number given out on a line. Numbers are never used twice, even when what had one is deleted. */
export const numberLines = table<[line: NumberLine], { readonly last: number }>('number_lines', [
  'last',
]);
