import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import {
  COMPRESSED_AT_ONCE_BYTES_MAX,
  COMPRESSING_BYTES_MAX,
  COMPRESSIONS_UNDER_WAY_MAX,
} from '../../domain/limits/requests.ts';
import type { Coding } from './content-codings.ts';

/**
 * The levels for bytes that are sent once, by measurement (decision 0195): higher ones take two to
 * twenty times as long for a tenth less.
 */
const LEVELS = { br: 2, gzip: 1 } as const;
/** The levels for bytes that are compressed once and sent many times. */
const LEVELS_OF_SHARED = { br: 9, gzip: 9 } as const;

/** Returns the bytes in a coding at once, if they are so few that another thread costs more. */
export const compressAtOnce = (
  bytes: Uint8Array,
  coding: Coding,
  bytesMax = COMPRESSED_AT_ONCE_BYTES_MAX,
): Buffer | undefined => (bytes.length > bytesMax ? undefined : compressNow(bytes, coding));

function compressNow(bytes: Uint8Array, coding: Coding): Buffer {
  return coding === 'br'
    ? brotliCompressSync(bytes, brotliOptions(bytes, LEVELS.br))
    : gzipSync(bytes, gzipOptions(bytes, LEVELS.gzip));
}

type Done = (compressed: Buffer | null) => void;

interface Job {
  readonly bytes: Uint8Array;
  readonly coding: Coding;
  readonly levels: Readonly<Record<Coding, number>>;
  readonly done: Done;
}

/** The threads are those of the process, and so are the bounds. */
const waiting: Job[] = [];
let underWay = 0;
let bytesHeld = 0;

/**
 * Compresses the bytes on another thread; they must not change meanwhile. Calls `done` with null if
 * that fails. Returns false, and does nothing, if there is no room for more.
 */
export function compressLater(bytes: Uint8Array, coding: Coding, done: Done): boolean {
  return begin({ bytes, coding, levels: LEVELS, done });
}

function begin(job: Job): boolean {
  const { length } = job.bytes;
  // One that is larger than all room together is compressed when it is alone.
  if (bytesHeld > 0 && bytesHeld + length > COMPRESSING_BYTES_MAX) return false;
  bytesHeld += length;
  waiting.push(job);
  runNext();
  return true;
}

function runNext() {
  if (underWay >= COMPRESSIONS_UNDER_WAY_MAX) return;
  const job = waiting.shift();
  if (job === undefined) return;
  underWay += 1;
  const { bytes, coding, levels, done } = job;
  const finish = (error: Error | null, compressed: Buffer) => {
    underWay -= 1;
    bytesHeld -= bytes.length;
    runNext();
    done(error === null ? compressed : null);
  };
  if (coding === 'br') brotliCompress(bytes, brotliOptions(bytes, levels.br), finish);
  else gzip(bytes, gzipOptions(bytes, levels.gzip), finish);
}

/** The room for the output, so that most bytes go to another thread and back only once. */
const CHUNK_BYTES_MIN = 4 * 1024;
const CHUNK_BYTES_MAX = 128 * 1024;
const chunkSizeOf = ({ length }: Uint8Array) =>
  Math.max(CHUNK_BYTES_MIN, Math.min(CHUNK_BYTES_MAX, length >> 2));

const brotliOptions = (bytes: Uint8Array, quality: number): BrotliOptions => ({
  chunkSize: chunkSizeOf(bytes),
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  },
});

const gzipOptions = (bytes: Uint8Array, level: number): ZlibOptions => ({
  chunkSize: chunkSizeOf(bytes),
  level,
});

/** The forms of bytes that many answers share, kept while something else refers to the bytes. */
const shared = new WeakMap<Uint8Array, Partial<Record<Coding, Shared>>>();

/** A form, or those who wait for it. */
interface Shared {
  form: Buffer | null;
  readonly waiting: Done[];
}

/**
 * Returns the form of bytes that never change, if it is kept. Otherwise begins to make it, and
 * returns a larger one that is made at once.
 */
export function compressSharedAtOnce(bytes: Uint8Array, coding: Coding): Buffer {
  let form: Buffer | null = null;
  compressShared(bytes, coding, (made) => {
    form = made;
  });
  return form ?? compressNow(bytes, coding);
}

/** Compresses bytes that never change once for all answers, and calls `done` with the form. */
export function compressShared(bytes: Uint8Array, coding: Coding, done: Done): boolean {
  const forms = shared.get(bytes) ?? {};
  shared.set(bytes, forms);
  const { [coding]: known } = forms;
  if (known !== undefined) {
    if (known.form === null) known.waiting.push(done);
    else done(known.form);
    return true;
  }
  const made: Shared = { form: null, waiting: [done] };
  forms[coding] = made;
  const finish: Done = (form) => {
    made.form = form;
    // The next answer tries again.
    if (form === null) delete forms[coding];
    for (const each of made.waiting.splice(0)) each(form);
  };
  const isBegun = begin({ bytes, coding, levels: LEVELS_OF_SHARED, done: finish });
  if (!isBegun) delete forms[coding];
  return isBegun;
}
