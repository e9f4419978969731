import { batch, type Signal, signal } from '@preact/signals';
import type { Directory } from '../feed/directory.ts';
import type { Calls, Message, WireEvent } from '../feed/message.ts';
import type { Place } from '../route.ts';
import type { Attached, Finished } from './attached.ts';
import { Completion } from './completion.ts';
import {
  answerTo,
  type Destination,
  type Draft,
  destinationKey,
  destinationOf,
  isWhole,
  NOWHERE,
  paramsOf,
} from './destination.ts';
import { Drafts } from './drafts.ts';
import type { FileKeep } from './kept-files.ts';
import { TypingNotices } from './typing.ts';
import type { Upload, UploadFile, UploadSend } from './uploads.ts';

/** The parameters of a message that is sent. */
export type Sent = ReturnType<typeof paramsOf>;

export interface ComposeParts {
  readonly calls: Calls;
  readonly directory: Directory;
  /** Puts a message into the outbox, from where it is sent until the server has it. */
  readonly send: (message: Sent) => void;
  readonly sendPart: UploadSend;
  readonly drafts?: Iterable<Draft>;
  /** Returns what keeps files across a reload; null where nothing does. */
  readonly keepFiles?: () => Promise<FileKeep | null>;
}

/** The text that is written, and its destination. */
export class ComposeStore {
  readonly directory: Directory;
  readonly completion: Completion;
  readonly drafts: Drafts;
  readonly to: Signal<Destination> = signal(NOWHERE);
  readonly text: Signal<string> = signal('');
  /** The files that are on their way, to any conversation. */
  readonly uploads: Signal<readonly Upload[]> = signal([]);
  /** True if a reload loses files that are on their way; known from the first file on. */
  readonly losesFiles: Signal<boolean> = signal(false);
  /** HTML of what is written; null while it is not looked at. */
  readonly preview: Signal<string | null> = signal(null);
  /** Counts wishes to write, so that the field takes the focus. */
  readonly focusing: Signal<number> = signal(0);
  /** The place for the cursor after a text was put in. */
  readonly cursor: Signal<number | null> = signal(null);
  readonly #parts: ComposeParts;
  readonly #typing: TypingNotices;
  #attached: Promise<Attached> | null = null;
  #isRestored = false;
  /** The place of the cursor when the field had the focus last; null for the end. */
  caret: number | null = null;

  constructor(parts: ComposeParts) {
    this.#parts = parts;
    this.directory = parts.directory;
    this.completion = new Completion(parts.directory);
    this.drafts = new Drafts(parts.calls, parts.drafts ?? []);
    this.text.value = this.drafts.textOf(NOWHERE);
    this.#typing = new TypingNotices(parts.calls);
  }

  /** The view has changed: what is written from now on goes there. */
  openAt(place: Place | null): void {
    this.#goTo(destinationOf(place));
  }

  /** Returns the files that are on their way to the conversation that is written to. */
  get filesHere(): readonly Upload[] {
    const here = destinationKey(this.to.value);
    return this.uploads.value.filter(({ to }) => destinationKey(to) === here);
  }

  reply(message: Message, text = ''): void {
    const to = answerTo(message, this.directory.ownId);
    const channel =
      to.type === 'direct' || to.channelId === null
        ? undefined
        : this.directory.channel(to.channelId);
    if (channel?.isArchived === true) {
      throw new Error(`#${channel.name} is archived: nobody writes to it.`);
    }
    this.write(to, text);
  }

  /** Opens the field for a conversation, perhaps with a text in it. */
  write(to: Destination, text = ''): void {
    const before = this.text.value;
    // A quote joins what was written already, wherever that was to go.
    this.#goTo(to);
    if (text !== '') {
      const own = this.text.value === '' ? before : this.text.value;
      this.setText(own.trim() === '' ? text : `${own.trimEnd()}\n\n${text}`);
      this.cursor.value = this.text.value.length;
    }
    this.focus();
  }

  focus(): void {
    this.focusing.value += 1;
  }

  /** Another channel, topic or other people, for the text that is there. */
  setDestination(to: Destination): void {
    const { text } = this;
    const before = this.to.value;
    if (text.value !== '') this.drafts.clear(before);
    if (this.uploads.value.length > 0) void this.#files().then((files) => files.move(before, to));
    batch(() => {
      this.to.value = to;
      if (text.value === '') text.value = this.drafts.textOf(to);
      else this.drafts.edit(to, text.value);
    });
  }

  setText(text: string): void {
    this.text.value = text;
    this.preview.value = null;
    this.drafts.edit(this.to.value, text);
    if (text.trim() === '') this.#typing.stop();
    else this.#typing.typed(this.to.value);
  }

  /** Puts a text where the cursor is. */
  insert(
    text: string,
    at = Math.min(this.caret ?? Number.POSITIVE_INFINITY, this.text.value.length),
  ): void {
    const before = this.text.value.slice(0, at);
    const gap = before === '' || /\s$/.test(before) ? '' : ' ';
    this.setText(before + gap + text + this.text.value.slice(at));
    this.cursor.value = at + gap.length + text.length;
  }

  get canSend(): boolean {
    const isUploading = this.filesHere.length > 0;
    return this.text.value.trim() !== '' && isWhole(this.to.value) && !isUploading;
  }

  /** Sends what is written, and empties the field. Throws if the outbox is full. */
  send(): void {
    if (!this.canSend) return;
    this.#parts.send(paramsOf(this.to.value, this.text.value));
    this.#empty();
  }

  /** Hands what is written to another than the outbox, and empties the field once it is taken. */
  async handOn(take: (message: Sent) => Promise<unknown>): Promise<void> {
    if (!this.canSend) return;
    const [to, text] = [this.to.value, this.text.value];
    await take(paramsOf(to, text));
    if (this.to.value === to && this.text.value === text) this.#empty();
    else this.drafts.clear(to);
  }

  #empty(): void {
    const to = this.to.value;
    this.drafts.clear(to);
    void this.#attached?.then((files) => files.forget(to));
    this.#typing.stop();
    batch(() => {
      this.text.value = '';
      this.preview.value = null;
    });
  }

  /** Shows what is written as it will look, or the field again. */
  async togglePreview(): Promise<void> {
    if (this.preview.value !== null) {
      this.preview.value = null;
      return;
    }
    const content = this.text.value;
    const reply = await this.#parts.calls.call('POST', '/messages/render', { content });
    if (this.text.value === content) this.preview.value = (reply as { rendered: string }).rendered;
  }

  /** Uploads files; each is linked in the text when it is there. Returns how many were left out. */
  async attach(files: readonly UploadFile[]): Promise<number> {
    const to = this.to.value;
    return (await this.#files()).add(files, to);
  }

  /** Goes on with files that were on their way when the page was left. */
  async restoreFiles(): Promise<void> {
    if (this.#isRestored) return;
    this.#isRestored = true;
    (await this.#files()).restore();
  }

  async changeUpload(upload: Upload, act: 'pause' | 'resume' | 'remove'): Promise<void> {
    (await this.#files())[act](upload);
  }

  #files(): Promise<Attached> {
    const { sendPart: send, keepFiles } = this.#parts;
    // The part is loaded with the first file.
    this.#attached ??= Promise.all([import('./attached.ts'), keepFiles?.() ?? null]).then(
      ([{ Attached }, keep]) => {
        this.losesFiles.value = keep === null;
        const { uploads } = this;
        return new Attached({ uploads, send, keep, link: (...file) => this.#link(...file) });
      },
    );
    return this.#attached;
  }

  /** Applies an event of the connection. */
  apply(event: WireEvent): void {
    if (event.type !== 'drafts') return;
    this.drafts.apply(event);
    const kept = this.drafts.textOf(this.to.value);
    if (kept !== this.text.value) this.text.value = kept;
  }

  /** Links a file in what is written to a conversation; resolves to whether the server has it. */
  async #link(to: Destination, { url, filename }: Finished): Promise<boolean> {
    const isHere = destinationKey(to) === destinationKey(this.to.value);
    const before = isHere ? this.text.value : this.drafts.textOf(to);
    // The link was there before the page was loaded again.
    if (!before.includes(`](${url})`)) {
      const gap = before === '' || before.endsWith('\n') ? '' : '\n';
      const text = `${before}${gap}[${filename.replace(/[\][\\]/g, ' ')}](${url})\n`;
      if (isHere) this.setText(text);
      else this.drafts.edit(to, text);
    }
    return await this.drafts.save(to);
  }

  #goTo(to: Destination) {
    if (destinationKey(to) === destinationKey(this.to.value)) return;
    this.drafts.flush();
    this.#typing.stop();
    batch(() => {
      this.to.value = to;
      this.text.value = this.drafts.textOf(to);
      this.preview.value = null;
    });
  }
}
