/** Texts that an account keeps, to put them into messages. */
import { app } from '../app.ts';

export interface Snippet {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

/** As the server has it. */
export const TITLE_LENGTH_MAX = 60;

/** Returns the snippets that have these words in their titles or texts, by title. */
export function snippets(text = ''): readonly Snippet[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return [...app.read('snippets').snippets.values()]
    .map(({ id, title, content }) => ({ id, title, content }))
    .filter(({ title, content }) => {
      const whole = `${title} ${content}`.toLowerCase();
      return words.every((word) => whole.includes(word));
    })
    .sort((one, other) => one.title.localeCompare(other.title) || one.id - other.id);
}

type Given = Omit<Snippet, 'id'>;

/** Keeps a new snippet, or changes one. */
export const saveSnippet = (id: number | null, { title, content }: Given): Promise<unknown> =>
  id === null
    ? app.chat.call('POST', '/saved_snippets', { title: title.trim(), content })
    : app.chat.call('PATCH', '/saved_snippets/{saved_snippet_id}', {
        saved_snippet_id: id,
        title: title.trim(),
        content,
      });

export const deleteSnippet = (id: number): Promise<unknown> =>
  app.chat.call('DELETE', '/saved_snippets/{saved_snippet_id}', { saved_snippet_id: id });
