/** The emoji that an organization has added. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';

export interface AddedEmoji {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly authorId: number | null;
}

export const addedEmoji = ({ facts }: Contents): readonly AddedEmoji[] =>
  Object.values(facts.realm_emoji ?? {})
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name, source_url: url, author_id: authorId }) => ({ id, name, url, authorId }))
    .sort((one, other) => one.name.localeCompare(other.name));

/** Returns the name that a file suggests, in the form that the server takes. */
export const emojiNameOf = (fileName: string): string =>
  fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** Adds an emoji; the types of the calls know of no forms with files. */
export function addEmoji(name: string, picture: Blob, fileName: string) {
  const form = new FormData();
  form.append('file', picture, fileName);
  const path: string = `/realm/emoji/${encodeURIComponent(name.trim())}`;
  return app.chat.call('POST', path, form);
}

export const removeEmoji = (name: string) =>
  app.chat.call('DELETE', '/realm/emoji/{emoji_name}', { emoji_name: name });
