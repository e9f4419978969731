import type { SavedSnippetRow } from '../../../storage/tables/messages/drafts.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { SAVED_SNIPPETS_PER_USER_MAX } from '../../domain/limits/personal.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { SavedSnippet } from '../../domain/wire/personal-objects.ts';
import type { Reads } from '../access/groups.ts';
import { acceptableContent } from '../posting/sending-rules.ts';
import { refuseTooLong } from './texts.ts';

/** Returns the snippets of a user, oldest first. */
export const list = (tx: Reads, userId: number): SavedSnippet[] =>
  Array.from(tx.savedSnippets.under([userId]), ([[, id], row]) => snippetObject(id, row));

interface Written {
  readonly title: string;
  readonly content: string;
}

export function add(tx: RealmTransaction, userId: number, { title, content }: Written): number {
  const row: SavedSnippetRow = {
    title: acceptableTitle(title),
    content: acceptableContent(content),
    dateCreated: Math.floor(tx.now / 1000),
  };
  refuseTooMany(tx, userId);
  const id = tx.nextId('savedSnippet');
  tx.savedSnippets.put([userId, id], row);
  refuseTooLong(tx.savedSnippets.under([userId]), 'saved snippets');
  emit(tx, userId, { type: 'saved_snippets', op: 'add', saved_snippet: snippetObject(id, row) });
  return id;
}

type Change = { readonly [Name in keyof Written]: Written[Name] | undefined };

/** Changes the given fields; an unchanged snippet is not announced. */
export function edit(
  tx: RealmTransaction,
  userId: number,
  { id, title, content }: Change & { readonly id: number },
) {
  const before = known(tx, userId, id);
  const row: SavedSnippetRow = {
    ...before,
    ...(title === undefined ? {} : { title: acceptableTitle(title) }),
    ...(content === undefined ? {} : { content: acceptableContent(content) }),
  };
  if (row.title === before.title && row.content === before.content) return;
  tx.savedSnippets.put([userId, id], row);
  if (row.content.length > before.content.length) {
    refuseTooLong(tx.savedSnippets.under([userId]), 'saved snippets');
  }
  emit(tx, userId, { type: 'saved_snippets', op: 'update', saved_snippet: snippetObject(id, row) });
}

export function remove(tx: RealmTransaction, userId: number, id: number) {
  known(tx, userId, id);
  tx.savedSnippets.remove([userId, id]);
  emit(tx, userId, { type: 'saved_snippets', op: 'remove', saved_snippet_id: id });
}

function known(tx: Reads, userId: number, id: number): SavedSnippetRow {
  const row = tx.savedSnippets.get([userId, id]);
  if (row === undefined) throw errors.noSuchSavedSnippet();
  return row;
}

function refuseTooMany(tx: Reads, userId: number) {
  let count = 0;
  for (const _ of tx.savedSnippets.keysUnder([userId])) count += 1;
  if (count >= SAVED_SNIPPETS_PER_USER_MAX) {
    throw errors.badRequest(`You can have at most ${SAVED_SNIPPETS_PER_USER_MAX} saved snippets.`);
  }
}

function acceptableTitle(title: string): string {
  if (unprintableIn(title)) throw errors.badRequest('Invalid character in title!');
  return title;
}

const emit = (tx: RealmTransaction, userId: number, event: EventBody) =>
  tx.emit({ event, audience: { users: [userId] } });

const snippetObject = (id: number, row: SavedSnippetRow): SavedSnippet => ({
  id,
  title: row.title,
  content: row.content,
  date_created: row.dateCreated,
});
