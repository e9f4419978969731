import { table } from '../../table.ts';

/** A custom emoji. A name may be used again once its emoji is deactivated. */
export interface RealmEmojiRow {
  readonly id: number;
  readonly name: string;
  readonly authorId: number | null;
  readonly isDeactivated: boolean;
  /** Name of the image file within the realm's emoji folder. */
  readonly fileName: string;
  /** Name of a still image, if the emoji is animated. */
  readonly stillFileName: string | null;
}

export const realmEmoji = table<[emojiId: number], RealmEmojiRow>(
  'realm_emoji',
  ['id', 'name', 'authorId', 'isDeactivated', 'fileName', 'stillFileName'],
  {
    audited: [
      {
        kind: 'emoji',
        target: ([emojiId]) => emojiId,
        values: ({ name, isDeactivated }) => ({ name, deactivated: isDeactivated }),
      },
    ],
  },
);

/** The active custom emoji of each name: a message asks for one by what is typed. */
export const realmEmojiNames = table<[name: string], { readonly emojiId: number }>(
  'realm_emoji_names',
  ['emojiId'],
);
