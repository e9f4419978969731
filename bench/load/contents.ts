import { readIrcMessages } from '../fixtures/irc.ts';

/**
 * Messages are made up, all of one length, or the first of a file of real ones, over and over, in
 * one channel or several.
 */
export type Content = (
  | { readonly length: number }
  | { readonly file: string; readonly count: number }
) & { readonly channels?: readonly string[] };

export interface Said {
  readonly content: string;
  /** The channel of this message; by default the one of the sender. */
  readonly channel?: string;
  /** The content as HTML, known for plain texts only. */
  readonly html: string | undefined;
}

/** The n-th message of a process. */
export type Contents = (index: number) => Said;

/** With the mention of a group before each, where one is named. */
export async function contentsOf(content: Content, mention: string | undefined): Promise<Contents> {
  const texts = await textsOf(content, mention);
  const { channels = [] } = content;
  return (index) => {
    const channel = channels[spread(index, channels.length)];
    return channel === undefined ? texts(index) : { ...texts(index), channel };
  };
}

async function textsOf(content: Content, mention: string | undefined): Promise<Contents> {
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

// A prime larger than any number of channels: all have their turn, and neighbours are far apart.
const STRIDE = 7_919;

const spread = (index: number, count: number) => (index * STRIDE) % count;

/** Every message differs, and all have the same length. */
function madeUp(index: number, length: number): string {
  const name = `message ${String(index).padStart(9, '0')}: `;
  return name.padEnd(length, 'the quick brown fox jumps over the lazy dog ').slice(0, length);
}
