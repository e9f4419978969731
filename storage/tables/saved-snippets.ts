import { table } from '../table.ts';

/** A text that its owner puts into messages now and then. */
export interface SavedSnippetRow {
  readonly title: string;
  readonly content: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
}

/** User first: a list is one user's. */
export const savedSnippets = table<[userId: number, savedSnippetId: number], SavedSnippetRow>(
  'saved_snippets',
  ['title', 'content', 'dateCreated'],
);
