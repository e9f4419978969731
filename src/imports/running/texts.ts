import { renderMarkdown } from '../../markdown/markdown.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import { importer } from '../../operations/importing/people.ts';
import { importedDirectory } from '../../operations/rendering/mention-directory.ts';
import type { FileReference, HistoryMessage, HistoryText } from '../history.ts';
import { changesOf } from './changes.ts';
import { markdownOf, type Names, storable } from './contents.ts';
import type { Target } from './target.ts';

/** After so many messages all are waited for, so that those pending stay few. */
const PENDING_MAX = 1_000;

interface Input {
  readonly target: Target;
  readonly source: string;
  readonly names: Names;
  /** Files of the archive, which messages show. */
  readonly shown: ReadonlySet<string>;
  /** Has the server write the messages that it was not asked for yet. */
  readonly written: () => Promise<void>;
}

/** Renders texts of messages; links to messages lead to those that are there by then. */
export function openTexts({ target, source, names, shown, written }: Input) {
  const { reads, site } = target;
  const author = importer(reads);
  // Messages that the store may not have yet.
  const pending = new Set<string>();

  async function settle() {
    await written();
    pending.clear();
  }

  async function located(id: string): Promise<number | undefined> {
    if (pending.has(id)) await settle();
    target.refresh();
    return idOf(reads, source, 'message', id);
  }

  async function rendered(text: HistoryText, linked: (file: FileReference) => Promise<string>) {
    const { content, isCut } = storable(await markdownOf(text, names, { linked, located }));
    const directory = importedDirectory(reads, author, site, shown);
    return { content, isCut, ...renderMarkdown(content, directory) };
  }

  return {
    rendered,
    /** Files of earlier states do not come along: their names stand for them. */
    changes: ({ changes = [] }: HistoryMessage, senderId: number) =>
      changesOf(changes, {
        names,
        senderId,
        rendered: (text) => rendered(text, async ({ name, label = name }) => label),
      }),
    /** Notes that a message is about to be written. */
    async note(id: string) {
      pending.add(id);
      if (pending.size >= PENDING_MAX) await settle();
    },
  };
}
