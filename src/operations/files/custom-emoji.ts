import type { FileName } from '../../../storage/files/file-store.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmEmojiRow } from '../../../storage/tables/realm/emoji.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { CUSTOM_EMOJI_MAX, EMOJI_NAME_LENGTH_MAX } from '../../domain/limits/organizations.ts';
import { imageName } from '../../domain/rules/files/image-names.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { codeOf } from '../../domain/rules/texts/emoji.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { CustomEmoji } from '../../domain/wire/realm-objects.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import { may, type Reads } from '../access/groups.ts';
import * as realms from '../access/realms.ts';

/** Returns all emoji that ever existed, by id: former uses of a deactivated one still show it. */
export const list = (reads: Reads): Readonly<Record<string, CustomEmoji>> =>
  Object.fromEntries(
    Array.from(reads.realmEmoji.range({}), ([[id], row]) => [String(id), objectOf(reads, row)]),
  );

const objectOf = (reads: Reads, row: RealmEmojiRow): CustomEmoji => ({
  id: String(row.id),
  name: row.name,
  source_url: imageUrl(reads, row.fileName),
  still_url: row.stillFileName === null ? null : imageUrl(reads, row.stillFileName),
  deactivated: row.isDeactivated,
  author_id: row.authorId,
});

/** Returns the active custom emoji of this name. */
export function named(tx: Reads, name: string): RealmEmojiRow | undefined {
  const emojiId = tx.realmEmojiNames.get([name])?.emojiId;
  return emojiId === undefined ? undefined : tx.realmEmoji.get([emojiId]);
}

/** The names under which an emoji's images are stored. */
export interface EmojiImages {
  readonly still: FileName;
  /** Null unless it is animated. */
  readonly moving: FileName | null;
}

/** Adds an emoji whose images are on disk, and announces all of them. */
export function add(
  tx: RealmTransaction,
  user: UserRow,
  { name: given, images }: { readonly name: string; readonly images: EmojiImages },
) {
  const name = acceptableName(tx, user, given);
  const id = tx.nextId('realmEmoji');
  const stillFileName = imageName(String(id), images.still, 'png');
  const files =
    images.moving === null
      ? { fileName: stillFileName, stillFileName: null }
      : { fileName: imageName(String(id), images.moving, 'webp'), stillFileName };
  store(tx, { id, name, authorId: user.id, isDeactivated: false, ...files });
  announce(tx);
}

/** Deactivates an emoji: it cannot be used any more, and its name is free. */
export function remove(tx: RealmTransaction, user: UserRow, name: string) {
  const row = named(tx, name);
  if (row === undefined) throw errors.noSuchEmoji(cutTo(name, EMOJI_NAME_LENGTH_MAX));
  if (!isAdministrator(user.role) && row.authorId !== user.id) {
    throw errors.badRequest('Must be an organization administrator or emoji author');
  }
  store(tx, { ...row, isDeactivated: true });
  announce(tx);
}

/** Returns the name of a new emoji; refuses users who may not add one, and invalid names. */
export function acceptableName(reads: Reads, user: UserRow, given: string): string {
  if (!may(reads, user, 'can_add_custom_emoji_group')) {
    throw errors.badRequest('Insufficient permission');
  }
  const name = given.trim().replaceAll(' ', '_');
  if (name === '') throw errors.badRequest('Emoji name is missing');
  if (name.length > EMOJI_NAME_LENGTH_MAX) {
    throw errors.badRequest(`Emoji name is too long (limit: ${EMOJI_NAME_LENGTH_MAX} characters)`);
  }
  if (!/^[a-z0-9_-]+$/.test(name)) {
    throw errors.badRequest(
      'Emoji names must contain only lowercase English letters, digits, dashes and underscores',
    );
  }
  if (!/[a-z0-9]$/.test(name)) {
    throw errors.badRequest('Emoji names must end with either a letter or digit.');
  }
  if (named(reads, name) !== undefined) {
    throw errors.badRequest('A custom emoji with this name already exists.');
  }
  if (codeOf(name) !== undefined && !isAdministrator(user.role)) {
    throw errors.badRequest('Only administrators can override default emoji.');
  }
  if ((reads.sequences.get(['realmEmoji'])?.last ?? 0) >= CUSTOM_EMOJI_MAX) {
    throw errors.badRequest(`An organization has at most ${CUSTOM_EMOJI_MAX} custom emoji.`);
  }
  return name;
}

function announce(tx: RealmTransaction) {
  const event = { type: 'realm_emoji', op: 'update', realm_emoji: list(tx) } as const;
  tx.emit({ event, audience: { everyone: true } });
}

/** Stores an emoji: a new one takes its name, a deactivated one releases it. */
export function store(tx: RealmTransaction, row: RealmEmojiRow) {
  tx.realmEmoji.put([row.id], row);
  const hasName = tx.realmEmojiNames.get([row.name])?.emojiId === row.id;
  if (!row.isDeactivated) tx.realmEmojiNames.put([row.name], { emojiId: row.id });
  else if (hasName) tx.realmEmojiNames.remove([row.name]);
}

/** Returns the URL of an image of an emoji. */
export const imageUrl = (tx: Reads, fileName: string): string =>
  `/user_avatars/${realms.existing(tx).id}/emoji/images/${encodeURIComponent(fileName)}`;
