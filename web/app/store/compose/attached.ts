import type { Signal } from '@preact/signals';
import { type Destination, destinationKey } from './destination.ts';
import type { FileKeep, KeptFile } from './kept-files.ts';
import { Upload, type UploadFile, type UploadSend, type UploadState } from './uploads.ts';

/** A file that is there. */
export type Finished = Extract<UploadState, { kind: 'done' }>;

export interface AttachedParts {
  /** The files that are on their way, for all conversations. */
  readonly uploads: Signal<readonly Upload[]>;
  readonly send: UploadSend;
  /** Null where the browser keeps nothing. */
  readonly keep: FileKeep | null;
  /** Links a file in what is written there; resolves to whether the server has the text. */
  readonly link: (to: Destination, file: Finished) => Promise<boolean>;
}

/** So many files at once; the rest waits for a second try by hand. */
const UPLOADS_MAX = 20;

/** Files that go up to be linked in a text, also after the page was loaded again. */
export class Attached {
  readonly #parts: AttachedParts;
  readonly #ids = new Map<Upload, string>();
  /** The ids of files that are there, whose links the server may not have yet. */
  readonly #linked = new Map<string, Destination>();

  constructor(parts: AttachedParts) {
    this.#parts = parts;
  }

  /** Uploads files; returns how many were left out. */
  add(files: readonly UploadFile[], to: Destination): number {
    const { uploads } = this.#parts;
    const taken = files.slice(0, Math.max(0, UPLOADS_MAX - uploads.value.length));
    for (const file of taken) {
      const upload = this.#begin({ id: newId(), file, to, path: null, isPaused: false });
      this.#keep(upload);
      void upload.start();
    }
    return files.length - taken.length;
  }

  /** Goes on with the files that were on their way when the page was left. */
  restore(): void {
    this.#parts.keep?.restore((kept) => {
      const upload = this.#begin(kept);
      if (!kept.isPaused) void upload.resume();
    });
  }

  pause(upload: Upload): void {
    upload.pause();
    this.#keep(upload);
  }

  resume(upload: Upload): void {
    void upload.resume();
    this.#keep(upload);
  }

  /** Gives a file up. */
  remove(upload: Upload): void {
    upload.cancel();
    this.#drop(upload);
    this.#forget(this.#ids.get(upload));
  }

  /** The text goes elsewhere, with its files. */
  move(from: Destination, to: Destination): void {
    for (const upload of this.#parts.uploads.value) {
      if (destinationKey(upload.to) !== destinationKey(from)) continue;
      upload.to = to;
      this.#keep(upload);
    }
  }

  /** The text was sent with its links, or thrown away. */
  forget(to: Destination): void {
    for (const [id, at] of this.#linked) {
      if (destinationKey(at) === destinationKey(to)) this.#forget(id);
    }
  }

  #begin({ id, file, to, path, isPaused }: KeptFile): Upload {
    const { uploads, send } = this.#parts;
    const upload: Upload = new Upload(file, send, (done) => void this.#finish(done), {
      path,
      isPaused,
      begun: () => this.#keep(upload),
    });
    upload.to = to;
    this.#ids.set(upload, id);
    uploads.value = [...uploads.value, upload];
    return upload;
  }

  async #finish(upload: Upload) {
    const id = this.#ids.get(upload);
    const done = upload.state.value;
    this.#drop(upload);
    if (done.kind !== 'done' || id === undefined) return;
    this.#linked.set(id, upload.to);
    // It is kept until its link is: after a reload the server gives the same link again.
    if (await this.#parts.link(upload.to, done)) this.#forget(id);
  }

  #keep(upload: Upload) {
    const id = this.#ids.get(upload);
    if (id === undefined) return;
    const { file, to, path } = upload;
    const isPaused = upload.state.value.kind === 'paused';
    this.#parts.keep?.put({ id, file, to, path, isPaused }).catch(() => undefined);
  }

  #drop(upload: Upload) {
    const { uploads } = this.#parts;
    uploads.value = uploads.value.filter((one) => one !== upload);
  }

  #forget(id: string | undefined) {
    if (id === undefined) return;
    this.#linked.delete(id);
    for (const [upload, one] of this.#ids) if (one === id) this.#ids.delete(upload);
    this.#parts.keep?.remove(id).catch(() => undefined);
  }
}

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 12)}`;
