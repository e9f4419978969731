import type { FileReference, HistoryText, TextPiece } from '../../history.ts';

/** Behind one of these, or at the beginning, a mention is read as one. */
const BEFORE_MENTION = /[\s'"({[/<]$/;
/** Finds signs that this service reads as a mention or a link to a channel. */
const READ_AS_MENTION = /@(?=_?\*)|#(?=\*\*)/g;
/** Keeps what it stands between apart, and is not seen. */
const WORD_JOINER = '\u2060';

/**
 * Collects the pieces of a text. Markdown that would become a mention by accident, as in
 * `a @**b**` of an archive, is kept from it by a joiner behind the sign, which no reader sees; in
 * code as well, so that a different idea of where code ends cannot notify anybody.
 */
export class TextBuilder {
  private readonly pieces: TextPiece[] = [];
  private pending = '';
  /** The last two characters; to ask the long text for them would copy it each time. */
  private tail = '';
  private hasWords = false;

  add(markdown: string): this {
    this.pending += markdown;
    this.tail = (this.tail + markdown.slice(-2)).slice(-2);
    this.hasWords ||= /\S/.test(markdown);
    return this;
  }

  /** Begins a paragraph of its own, unless the text is empty. */
  paragraph(): this {
    if (this.isEmpty) return this;
    if (this.tail === '\n\n') return this;
    return this.add(this.tail.endsWith('\n') ? '\n' : '\n\n');
  }

  mention(id: string, { silent = false } = {}): this {
    return this.named(silent ? { mention: id, silent } : { mention: id });
  }

  mentionAll(): this {
    return this.named({ mentionAll: true });
  }

  group(id: string): this {
    return this.named({ group: id });
  }

  channel(id: string): this {
    return this.named({ channel: id });
  }

  file(file: FileReference): this {
    this.flush();
    this.tail = '';
    this.pieces.push({ file });
    return this;
  }

  append(text: HistoryText): this {
    for (const piece of text) {
      if (typeof piece === 'string') this.add(piece);
      else if ('file' in piece) this.file(piece.file);
      else this.named(piece);
    }
    return this;
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0 && !this.hasWords;
  }

  finished(): HistoryText {
    this.flush();
    return this.pieces;
  }

  private named(piece: Exclude<TextPiece, string>): this {
    const isFirst = this.pending === '' && this.pieces.length === 0;
    if (!isFirst && !BEFORE_MENTION.test(this.tail)) this.pending += ' ';
    this.flush();
    this.tail = '';
    this.pieces.push(piece);
    return this;
  }

  private flush(): void {
    if (this.pending === '') return;
    this.pieces.push(this.pending.replace(READ_AS_MENTION, (sign) => sign + WORD_JOINER));
    this.pending = '';
  }
}

/** Returns a link whose label cannot end early; only web addresses become links. */
export function linkTo(address: string, label: string): string {
  const url = webAddress(address);
  const shown = label
    .replace(/\s+/g, ' ')
    .replace(/[[\]\\]/g, '\\$&')
    .trim();
  if (url === null) return shown === '' ? codeOf(address) : shown;
  return shown === '' || label === address ? url : `[${shown}](${url})`;
}

/** Returns an address that can stand in a link of Markdown, or null for any other scheme. */
export function webAddress(address: string): string | null {
  if (!/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(address)) return null;
  return address.replace(/[()*\\`[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Returns code in a line, whatever backticks it has. */
export function codeOf(text: string): string {
  const line = text.replace(/\n+/g, ' ');
  if (line.trim() === '') return line;
  const longest = longestRun(line);
  if (longest === 0) return `\`${line}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** Returns a block of code, whatever backticks it has. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${/^[\w+#-]{0,30}$/.test(language) ? language : ''}\n${text}\n${fence}`;
}

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);

/** Returns a text as a quote, whose mentions are told to nobody. */
export const quotedText = (text: HistoryText): TextPiece[] => [
  '> ',
  ...text.map((piece) => {
    if (typeof piece === 'string') return piece.replaceAll('\n', '\n> ');
    return 'mention' in piece || 'group' in piece ? { ...piece, silent: true } : piece;
  }),
];

/** Returns the lines of a text as a quote. */
export const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
