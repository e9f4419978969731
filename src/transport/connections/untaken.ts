import {
  ANSWER_STALLED_MS_MAX,
  UNTAKEN_BYTES_MAX,
  UNTAKEN_BYTES_PER_READER_MAX,
} from '../../domain/limits/requests.ts';

/** An answer that its reader has not taken whole: the rest of it waits in memory. */
export interface Untaken {
  /** The account or the address that it is for. */
  readonly reader: string;
  /** Bytes that are held only for this reader. */
  readonly bytes: number;
  /** Closes the connection in the middle of the answer. */
  readonly cut: () => void;
}

/** How often stalled readers are looked for. */
const STALL_CHECK_MS = 5_000;

/**
 * When each answer was last taken from, in UNIX ms, in this order: the first has waited longest.
 */
const waiting = new Map<Untaken, number>();
const bytesOfReader = new Map<string, number>();
let bytes = 0;
let stallCheck: NodeJS.Timeout | null = null;

/**
 * Holds the rest of an answer. If its reader, or all readers together, then hold too much, the
 * answers that waited longest are cut off.
 */
export function hold(answer: Untaken) {
  waiting.set(answer, Date.now());
  note(answer, answer.bytes);
  stallCheck ??= setInterval(cutStalled, STALL_CHECK_MS).unref();
  const { reader } = answer;
  cutUntil(answer, {
    isDone: () => (bytesOfReader.get(reader) ?? 0) <= UNTAKEN_BYTES_PER_READER_MAX,
    isMeant: (other) => other.reader === reader,
  });
  cutUntil(answer, { isDone: () => bytes <= UNTAKEN_BYTES_MAX, isMeant: () => true });
}

/** Called when a part of the answer was taken. */
export function goesOn(answer: Untaken) {
  if (waiting.delete(answer)) waiting.set(answer, Date.now());
}

/** Called when the answer is taken, or its reader has gone. */
export function release(answer: Untaken) {
  if (!waiting.delete(answer)) return;
  note(answer, -answer.bytes);
  if (waiting.size > 0 || stallCheck === null) return;
  clearInterval(stallCheck);
  stallCheck = null;
}

/** Returns the bytes that are held now for all readers. */
export const untakenBytes = (): number => bytes;

function note({ reader }: Untaken, change: number) {
  bytes += change;
  const ofReader = (bytesOfReader.get(reader) ?? 0) + change;
  if (ofReader > 0) bytesOfReader.set(reader, ofReader);
  else bytesOfReader.delete(reader);
}

interface Cutting {
  readonly isDone: () => boolean;
  readonly isMeant: (answer: Untaken) => boolean;
}

/**
 * Cuts off the answers that have waited longest; the newest answer is spared, however large it is.
 */
function cutUntil(newest: Untaken, { isDone, isMeant }: Cutting) {
  if (isDone()) return;
  for (const answer of waiting.keys()) {
    if (answer === newest || answer.bytes === 0 || !isMeant(answer)) continue;
    cut(answer);
    if (isDone()) return;
  }
}

function cutStalled() {
  const latest = Date.now() - ANSWER_STALLED_MS_MAX;
  for (const [answer, since] of waiting) {
    if (since > latest) return;
    cut(answer);
  }
}

function cut(answer: Untaken) {
  release(answer);
  answer.cut();
}
