import { readIrcMessages } from '../stage/irc.ts';

/** What messages say: made up, all of one length, or the first of a file of real ones, over and over. */
export type Content =
  | { readonly length: number }
  | { readonly file: string; readonly count: number };

export interface Said {
  readonly content: string;
  /** What it looks like as HTML, where that is plain. */
  readonly html: string | undefined;
}

/** The n-th message of a process. */
export type Contents = (index: number) => Said;

/** With the mention of a group before each, where one is named. */
export async function contentsOf(content: Content, mention: string | undefined): Promise<Contents> {
  const before = mention === undefined ? '' : `@*${mention}* `;
  if ('length' in content) {
    return (index) => {
      const text = madeUp(index, content.length - before.length);
      const html = mention === undefined ? `<p>${text.trim()}</p>` : undefined;
      return { content: before + text, html };
    };
  }
  const real = await readIrcMessages(content.file, content.count);
  if (real.length === 0) throw new Error(`${content.file} has no messages`);
  return (index) => {
    const text = real[index % real.length]?.text ?? '';
    return { content: before + text, html: undefined };
  };
}

/** Every message differs, and all have the same length. */
function madeUp(index: number, length: number): string {
  const name = `message ${String(index).padStart(9, '0')}: `;
  return name.padEnd(length, 'the quick brown fox jumps over the lazy dog ').slice(0, length);
}
