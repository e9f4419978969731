import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import {
  FETCHED_BYTES_MAX,
  FETCHED_MESSAGE_BYTES,
  FETCHED_READ_BYTES_MAX,
} from '../../domain/limits.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { ListedMessage } from './listed-messages.ts';

export interface Page {
  /** Ascending. */
  readonly messages: readonly ListedMessage[];
  /** Whether messages before or after these were left out. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/**
 * Makes messages from an anchor on, to both sides of it, as long as there is room for them in one answer. The anchor and
 * one message on each side have room in any case, so that whoever goes on from the ends of a page gets on.
 */
export function pageAround(
  make: (row: MessageRow) => ListedMessage,
  { rows, anchor }: { readonly rows: readonly MessageRow[]; readonly anchor: number },
): Page {
  const before = openSide(rows.filter(({ id }) => id < anchor).toReversed());
  const after = openSide(rows.filter(({ id }) => id > anchor));
  const middle = rows.filter(({ id }) => id === anchor).map(make);
  let left = FETCHED_BYTES_MAX;
  for (const message of middle) left -= bytesOf(message);
  for (;;) {
    const side = nextOf(before, after, left);
    const row = side?.rows[side.messages.length];
    if (side === undefined || row === undefined) break;
    const message = make(row);
    const bytes = bytesOf(message);
    side.messages.push(message);
    side.bytes += bytes;
    left -= bytes;
  }
  return {
    messages: [...before.messages.toReversed(), ...middle, ...after.messages],
    isCutBefore: !isWhole(before),
    isCutAfter: !isWhole(after),
  };
}

interface Side {
  /** From the anchor on. */
  readonly rows: readonly MessageRow[];
  readonly messages: ListedMessage[];
  bytes: number;
}

const openSide = (rows: readonly MessageRow[]): Side => ({ rows, messages: [], bytes: 0 });

const isWhole = ({ rows, messages }: Side) => messages.length === rows.length;

/** The side that has less of the page, of those that have more to give; without room only one that has nothing yet. */
function nextOf(before: Side, after: Side, left: number): Side | undefined {
  const grows = (side: Side) => !isWhole(side) && (left > 0 || side.messages.length === 0);
  if (!grows(before)) return grows(after) ? after : undefined;
  return grows(after) && after.bytes < before.bytes ? after : before;
}

export interface Budget {
  /** Notes bytes that were read. */
  read(bytes: number): void;
  /** Notes a part of the answer, and gives it back. */
  written<Part extends Partial<ListedMessage>>(part: Part): Part;
}

/** What is named by its id cannot be left out of an answer, so more than there is room for is refused. */
export function openBudget(): Budget {
  let [bytesRead, bytes, count] = [0, 0, 0];
  return {
    read(more) {
      if (bytesRead > FETCHED_READ_BYTES_MAX) throw tooLong();
      bytesRead += more;
    },
    written(part) {
      if (bytes > FETCHED_BYTES_MAX && count > 0) throw tooLong();
      bytes += bytesOf(part);
      count += 1;
      return part;
    },
  };
}

const tooLong = () =>
  errors.badRequest('These messages are too long for one answer. Ask for fewer at once.');

/** Bytes of a message as JSON, near enough: signs that are escaped count as one. */
function bytesOf(message: Partial<ListedMessage>): number {
  const { content = '', match_content: match = '', display_recipient: people } = message;
  let bytes = FETCHED_MESSAGE_BYTES + Buffer.byteLength(content) + Buffer.byteLength(match);
  if (Array.isArray(people)) bytes += people.length * PERSON_BYTES;
  bytes += (message.reactions?.length ?? 0) * REACTION_BYTES;
  for (const part of message.submessages ?? []) bytes += PART_BYTES + part.content.length;
  for (const { prev_content = '', prev_rendered_content = '' } of message.edit_history ?? []) {
    bytes += PART_BYTES + prev_content.length + prev_rendered_content.length;
  }
  return bytes;
}

/** Of lists within a message: what an entry takes besides its texts. */
const PERSON_BYTES = 120;
const REACTION_BYTES = 100;
const PART_BYTES = 100;
