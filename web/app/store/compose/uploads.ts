import { type Signal, signal } from '@preact/signals';
import { type Destination, NOWHERE } from './destination.ts';

/** The answer of the server to a part of an upload. */
export interface UploadReply {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly json: () => Promise<unknown>;
}

/** Sends a part of an upload: `fetch`, or a test. Rejects when the connection breaks. */
export type UploadSend = (
  method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE',
  path: string,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Blob;
    readonly signal: AbortSignal;
  },
) => Promise<UploadReply>;

/** A file, as browsers hand it over. */
export interface UploadFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  slice(from: number, to: number): Blob;
}

export type UploadState =
  | { readonly kind: 'going' | 'paused' | 'waiting'; readonly sent: number }
  | { readonly kind: 'done'; readonly url: string; readonly filename: string }
  | { readonly kind: 'failed'; readonly fault: string };

const ROOT = '/api/v1/tus';
const VERSION = { 'Tus-Resumable': '1.0.0' };
/** A part is told as progress when it is there; on a slow line it takes a second or two. */
const PART_BYTES = 512 * 1_024;
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 30_000;
/** After so many failures in a row it is the user who tries again. */
const FAILURES_MAX = 8;

let lastKey = 0;

export interface UploadOptions {
  readonly againMs?: number;
  /** The address of an upload that was begun before. */
  readonly path?: string | null;
  readonly isPaused?: boolean;
  /** Called when the server has given an address. */
  readonly begun?: () => void;
}

/**
 * Uploads one file in parts (tus 1.0). After a break it asks how much has arrived, and goes on from
 * there; so it does when it was paused.
 */
export class Upload {
  readonly key: number;
  readonly file: UploadFile;
  /** The conversation in whose text it will be linked. */
  to: Destination = NOWHERE;
  readonly state: Signal<UploadState> = signal({ kind: 'going', sent: 0 });
  readonly #send: UploadSend;
  readonly #done: (upload: Upload) => void;
  #path: string | null = null;
  #offset = 0;
  #abort = new AbortController();

  readonly #againMs: number;
  readonly #begun: () => void;

  constructor(
    file: UploadFile,
    send: UploadSend,
    done: (upload: Upload) => void,
    { againMs = AGAIN_MS, path = null, isPaused = false, begun }: UploadOptions = {},
  ) {
    lastKey += 1;
    this.key = lastKey;
    this.#againMs = againMs;
    this.#path = path;
    this.#begun = begun ?? (() => undefined);
    if (isPaused) this.state.value = { kind: 'paused', sent: 0 };
    this.file = file;
    this.#send = send;
    this.#done = done;
  }

  /** Returns the address of the upload; null while the server has given none. */
  get path(): string | null {
    return this.#path;
  }

  /** Returns the share that has arrived, from 0 to 1. */
  get progress(): number {
    const state = this.state.value;
    if (state.kind === 'done') return 1;
    return state.kind === 'failed' ? 0 : state.sent / Math.max(1, this.file.size);
  }

  /** Sends until the file is there, it is paused, or it is refused. */
  async start(): Promise<void> {
    this.#abort = new AbortController();
    const { signal: ended } = this.#abort;
    this.state.value = { kind: 'going', sent: this.#offset };
    for (let failures = 0; !ended.aborted; ) {
      const before = this.#offset;
      try {
        if (await this.#step(ended)) return;
        failures = this.#offset > before ? 0 : failures;
      } catch (error) {
        if (ended.aborted) return;
        failures += 1;
        if (error instanceof Refusal || failures > FAILURES_MAX) {
          this.state.value = { kind: 'failed', fault: (error as Error).message };
          return;
        }
        this.state.value = { kind: 'waiting', sent: this.#offset };
        await this.#pause(Math.min(this.#againMs * 2 ** (failures - 1), AGAIN_MS_MAX), ended);
        // How much has arrived is not known after a break.
        await this.#find(ended).catch(() => undefined);
      }
    }
  }

  pause(): void {
    this.#abort.abort();
    this.state.value = { kind: 'paused', sent: this.#offset };
  }

  async resume(): Promise<void> {
    this.#abort = new AbortController();
    await this.#find(this.#abort.signal).catch(() => undefined);
    await this.start();
  }

  /** Gives it up, and has the server forget what has arrived. */
  cancel(): void {
    this.#abort.abort();
    const path = this.#path;
    if (path === null || this.state.value.kind === 'done') return;
    const { signal: never } = new AbortController();
    this.#send('DELETE', path, { headers: VERSION, signal: never }).catch(() => undefined);
  }

  /** Begins the upload, or sends a part; returns whether that was all. */
  async #step(ended: AbortSignal): Promise<boolean> {
    if (this.#path === null) {
      const { reply } = await this.#asked('POST', ROOT, {
        headers: {
          ...VERSION,
          'Upload-Length': String(this.file.size),
          'Upload-Metadata': metadataOf(this.file),
        },
        signal: ended,
      });
      this.#path = pathIn(reply.header('Location') ?? '');
      this.#begun();
      if (this.file.size === 0) return this.#finish(await reply.json());
      return false;
    }
    const to = Math.min(this.file.size, this.#offset + PART_BYTES);
    const { reply } = await this.#asked('PATCH', this.#path, {
      headers: {
        ...VERSION,
        'Upload-Offset': String(this.#offset),
        'Content-Type': 'application/offset+octet-stream',
      },
      body: this.file.slice(this.#offset, to),
      signal: ended,
    });
    this.#offset = Number(reply.header('Upload-Offset') ?? to);
    if (this.#offset >= this.file.size) return this.#finish(await reply.json());
    this.state.value = { kind: 'going', sent: this.#offset };
    return false;
  }

  #finish(answer: unknown) {
    const { url, filename } = answer as { url: string; filename: string }; // of the last part
    this.state.value = { kind: 'done', url, filename };
    this.#done(this);
    return true;
  }

  /** Asks how much has arrived. An upload that the server has forgotten begins again. */
  async #find(ended: AbortSignal) {
    if (this.#path === null) return;
    const reply = await this.#send('HEAD', this.#path, { headers: VERSION, signal: ended });
    if (reply.status === 404 || reply.status === 410) {
      this.#path = null;
      this.#offset = 0;
    } else if (reply.status < 300) this.#offset = Number(reply.header('Upload-Offset') ?? 0);
  }

  /** Sends a request. What may be tried again is thrown as a break, anything else as a refusal. */
  async #asked(...request: Parameters<UploadSend>) {
    const reply = await this.#send(...request);
    if (reply.status < 300) return { reply };
    const isForNow = [408, 409, 423, 429, 460].includes(reply.status) || reply.status >= 500;
    if (isForNow) throw new Error(`The server answered ${reply.status}`);
    const answer = (await reply.json().catch(() => ({}))) as { msg?: string };
    throw new Refusal(answer.msg ?? `The server answered ${reply.status}`);
  }

  #pause(ms: number, ended: AbortSignal) {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      ended.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

class Refusal extends Error {}

/** The server gives a path or a whole address; both are of this server. */
const pathIn = (location: string) => location.replace(/^https?:\/\/[^/]+/, '');

function metadataOf({ name, type }: UploadFile): string {
  const pairs = [`filename ${base64(name)}`];
  if (type !== '') pairs.push(`filetype ${base64(type)}`);
  return pairs.join(',');
}

const base64 = (text: string) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text.slice(0, NAME_LENGTH_MAX))));

/** More than file systems allow. */
const NAME_LENGTH_MAX = 1_000;
