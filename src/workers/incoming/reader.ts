import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  MAIL_READING_MIB_MAX,
  MAIL_READING_MS_MAX,
  MAILS_TO_READ_MAX,
} from '../../domain/limits/outbox.ts';
import type { ReadMail } from '../../operations/notifications/incoming-mails.ts';

/** A file in a mail. */
export interface FileInMail {
  /** The name with no character that means something in Markdown. */
  readonly name: string;
  readonly filename: string | null;
  readonly contentType: string;
  /** Null for the files after the first few. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

export interface MailWithFiles extends ReadMail {
  readonly files: readonly FileInMail[];
}

const PROGRAM = fileURLToPath(new URL('./read-mail.js', import.meta.url));

/** The mail cannot be read, and will never be. */
export class Unreadable extends Error {}

/** Too many mails wait to be read. */
export class TooBusy extends Error {}

export interface MailReader {
  /** Reads the bytes of a mail; rejects with `Unreadable` or `TooBusy`. */
  read(raw: Uint8Array): Promise<MailWithFiles>;
  close(): void;
}

type Told = { readonly mail: MailWithFiles } | { readonly fault: string };

/** Reads mails one after the other in a thread, which ends with a mail that takes too much. */
export function openMailReader(msMax = MAIL_READING_MS_MAX): MailReader {
  let thread: Worker | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  function readNow(raw: Uint8Array): Promise<MailWithFiles> {
    thread ??= open();
    const worker = thread;
    return new Promise<MailWithFiles>((resolve, reject) => {
      const end = (outcome: Told) => {
        clearTimeout(timer);
        worker.off('message', end).off('error', onError).off('exit', onExit);
        if ('mail' in outcome) resolve(outcome.mail);
        else reject(new Unreadable(outcome.fault));
      };
      const endThread = (fault: string) => {
        end({ fault });
        thread = undefined;
        // An error of a thread that is being ended has nobody to go to otherwise.
        worker.on('error', () => undefined);
        void worker.terminate();
      };
      const onError = (error: Error) => endThread(error.message);
      const onExit = () => endThread('it takes too much');
      const timer = setTimeout(() => endThread('it takes too long'), msMax);
      worker.on('message', end);
      worker.on('error', onError);
      worker.on('exit', onExit);
      worker.postMessage(raw);
    });
  }

  return {
    async read(raw) {
      if (waiting >= MAILS_TO_READ_MAX) throw new TooBusy('too many mails wait to be read');
      waiting += 1;
      const reading = last.then(() => readNow(raw));
      last = reading.catch(() => undefined);
      try {
        return await reading;
      } finally {
        waiting -= 1;
      }
    },
    close() {
      void thread?.terminate();
      thread = undefined;
    },
  };
}

function open(): Worker {
  const worker = new Worker(PROGRAM, {
    resourceLimits: { maxOldGenerationSizeMb: MAIL_READING_MIB_MAX },
  });
  worker.unref();
  return worker;
}
