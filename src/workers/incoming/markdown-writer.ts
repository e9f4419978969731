interface Link {
  /** Empty if readers are not to follow it. */
  readonly href: string;
  readonly from: number;
}

/**
 * Markdown that grows piece by piece. Marks are only written around words, since those around a
 * blank or across blocks would be shown as they are. Only the end of the text is looked at, so that
 * each piece costs the same.
 */
export class MarkdownWriter {
  readonly #pieces: string[] = [];
  #end = '';
  #isCode = false;
  /** The mark of a list item waits for its words, and a cell of a table for those of the next. */
  #isItem = false;
  #isCell = false;
  /** How often each mark is open: one within itself is written once. */
  readonly #depths = new Map<string, number>();
  /** The marks that are open; those from `#written` on wait for their first word. */
  readonly #marks: string[] = [];
  #written = 0;

  words(part: string) {
    if (this.#isCode) return this.#put(part);
    const spaced = part.replace(/\s+/g, ' ');
    if (spaced.trim() !== '') this.#beginCell();
    const shown = this.#end === '' || /\s$/.test(this.#end) ? spaced.replace(/^ /, '') : spaced;
    const words = shown.trimStart();
    if (words === '') return this.#put(shown);
    if (shown.length > words.length) this.#put(' ');
    this.#openMarks();
    this.#put(words);
  }

  begin(mark: string) {
    if (this.#isCode) return;
    const depth = (this.#depths.get(mark) ?? 0) + 1;
    this.#depths.set(mark, depth);
    if (depth === 1) this.#marks.push(mark);
  }

  end(mark: string) {
    const depth = this.#depths.get(mark) ?? 0;
    if (this.#isCode || depth === 0) return;
    this.#depths.set(mark, depth - 1);
    if (depth > 1) return;
    const at = this.#marks.lastIndexOf(mark);
    const blanks = this.#close(at);
    this.#marks.splice(at, 1);
    this.#put(blanks);
  }

  lineBreak() {
    this.#put('\n');
  }

  /** Begins a line. */
  line() {
    this.#breakAt('\n');
  }

  item(mark: string) {
    this.#isItem = false;
    this.#breakAt('\n');
    this.#put(mark);
    this.#isItem = true;
  }

  cell() {
    this.#isCell = true;
  }

  block() {
    if (!this.#isCode) this.#breakAt('\n\n');
    else if (!this.#end.endsWith('\n')) this.#put('\n');
  }

  beginCode() {
    if (this.#isCode) return;
    this.#breakAt('\n\n');
    this.#put('```\n');
    this.#isCode = true;
  }

  endCode() {
    if (!this.#isCode) return;
    this.#put(this.#end.endsWith('\n') ? '```\n\n' : '\n```\n\n');
    this.#isCode = false;
  }

  /** Returns the place where a link begins. */
  beginLink(): number {
    if (!this.#isCode) this.#openMarks();
    return this.#pieces.length;
  }

  endLink({ href, from }: Link) {
    const begin = Math.min(from, this.#pieces.length);
    const text = this.#pieces.slice(begin).join('');
    const shown = text.trim();
    if (this.#isCode || href === '' || shown === '' || shown === href) return;
    if (/\n|[[\]]/.test(shown)) return this.#put(` ${href}`);
    this.#pieces.length = begin;
    this.#put(text.slice(0, text.length - text.trimStart().length));
    this.#put(`[${shown}](${href})`);
    this.#put(text.slice(text.trimEnd().length));
  }

  /** Returns all of it, with ends for what a mail that was cut off has left open. */
  whole(): string {
    this.#close(0);
    if (this.#isCode) this.#put('\n```');
    return this.#pieces.join('').trim();
  }

  #put(piece: string) {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#end = `${this.#end}${piece.slice(-2)}`.slice(-2);
    this.#isItem = false;
  }

  /** Takes the last piece off. */
  #take(): string {
    const last = this.#pieces.pop() ?? '';
    this.#end = `${this.#pieces.at(-2) ?? ''}${this.#pieces.at(-1) ?? ''}`.slice(-2);
    return last;
  }

  #openMarks() {
    for (; this.#written < this.#marks.length; this.#written += 1) {
      this.#put(this.#marks[this.#written] ?? '');
    }
  }

  /** Writes the ends of marks from a level on, and returns the blanks before them. */
  #close(from: number): string {
    if (this.#written <= from) return '';
    const last = this.#take();
    const kept = last.trimEnd();
    this.#put(kept);
    while (this.#written > from) {
      this.#written -= 1;
      const mark = this.#marks[this.#written] ?? '';
      if (this.#pieces.at(-1) === mark) this.#take();
      else this.#put(mark);
    }
    return last.slice(kept.length);
  }

  /** Marks of before go on behind the break. */
  #breakAt(lines: '\n' | '\n\n') {
    this.#isCell = false;
    if (this.#isItem) return;
    this.#close(0);
    if (this.#end === '' || this.#end === '\n\n') return;
    if (lines === '\n' && this.#end.endsWith('\n')) return;
    this.#put(this.#end.endsWith('\n') ? '\n' : lines);
  }

  #beginCell() {
    if (this.#isCell && this.#end !== '' && !this.#end.endsWith('\n')) {
      this.#put(this.#end.endsWith(' ') ? '| ' : ' | ');
    }
    this.#isCell = false;
  }
}
