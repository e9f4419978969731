import { table } from '../table.ts';

/** The active custom emoji of each name: a message asks for one by what is typed. */
export const realmEmojiNames = table<[name: string], { readonly emojiId: number }>(
  'realm_emoji_names',
  ['emojiId'],
);
