import { batch, type Signal, signal } from '@preact/signals';
import type { Directory } from '../feed/directory.ts';
import type { Calls, Message, WireEvent } from '../feed/message.ts';
import type { Place } from '../route.ts';
import { Completion } from './completion.ts';
import {
  answerTo,
  type Destination,
  destinationKey,
  destinationOf,
  isWhole,
  NOWHERE,
  paramsOf,
} from './destination.ts';
import { type Draft, Drafts } from './drafts.ts';
import { TypingNotices } from './typing.ts';
import { Upload, type UploadFile, type UploadSend } from './uploads.ts';

/** The parameters of a message that is sent. */
export type Sent = ReturnType<typeof paramsOf>;

export interface ComposeParts {
  readonly calls: Calls;
  readonly directory: Directory;
  /** Puts a message into the outbox, from where it is sent until the server has it. */
  readonly send: (message: Sent) => void;
  readonly sendPart: UploadSend;
  readonly drafts?: Iterable<Draft>;
}

/** So many files at once; the rest waits for a second try by hand. */
const UPLOADS_MAX = 20;

/** The text that is written, and its destination. */
export class ComposeStore {
  readonly directory: Directory;
  readonly completion: Completion;
  readonly drafts: Drafts;
  readonly to: Signal<Destination> = signal(NOWHERE);
  readonly text: Signal<string> = signal('');
  readonly uploads: Signal<readonly Upload[]> = signal([]);
  /** HTML of what is written; null while it is not looked at. */
  readonly preview: Signal<string | null> = signal(null);
  /** Counts wishes to write, so that the field takes the focus. */
  readonly focusing: Signal<number> = signal(0);
  /** The place for the cursor after a text was put in. */
  readonly cursor: Signal<number | null> = signal(null);
  readonly #parts: ComposeParts;
  readonly #typing: TypingNotices;

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

  /** Opens the field for a conversation. */
  write(to: Destination): void {
    this.#goTo(to);
    this.focus();
  }

  reply(message: Message, text = ''): void {
    const before = this.text.value;
    const to = answerTo(message, this.directory.ownId);
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

  /** Puts a text where the cursor is, on lines of its own if wanted. */
  insert(text: string, at: number): void {
    const before = this.text.value.slice(0, at);
    const gap = before === '' || /\s$/.test(before) ? '' : ' ';
    this.setText(before + gap + text + this.text.value.slice(at));
    this.cursor.value = at + gap.length + text.length;
  }

  get canSend(): boolean {
    const isUploading = this.uploads.value.some(({ state }) => state.value.kind !== 'done');
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
    this.drafts.clear(this.to.value);
    this.#typing.stop();
    batch(() => {
      this.text.value = '';
      this.preview.value = null;
      this.uploads.value = [];
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
  attach(files: readonly UploadFile[]): number {
    const room =
      UPLOADS_MAX - this.uploads.value.filter((one) => one.state.value.kind !== 'done').length;
    const taken = files.slice(0, Math.max(0, room));
    const uploads = taken.map(
      (file) => new Upload(file, this.#parts.sendPart, (upload) => this.#link(upload)),
    );
    this.uploads.value = [...this.uploads.value, ...uploads];
    for (const upload of uploads) void upload.start();
    return files.length - taken.length;
  }

  removeUpload(upload: Upload): void {
    upload.cancel();
    this.uploads.value = this.uploads.value.filter((one) => one !== upload);
  }

  /** Applies an event of the connection. */
  apply(event: WireEvent): void {
    if (event.type !== 'drafts') return;
    this.drafts.apply(event);
    const kept = this.drafts.textOf(this.to.value);
    if (kept !== this.text.value) this.text.value = kept;
  }

  #link({ state }: Upload) {
    const done = state.value;
    if (done.kind !== 'done') return;
    const name = done.filename.replace(/[\][\\]/g, ' ');
    const { text } = this;
    const gap = text.value === '' || text.value.endsWith('\n') ? '' : '\n';
    this.setText(`${text.value}${gap}[${name}](${done.url})\n`);
    this.uploads.value = this.uploads.value.filter((one) => one.state.value !== done);
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
