import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import {
  FETCHED_BYTES_MAX,
  FETCHED_MESSAGE_BYTES,
  FETCHED_READ_BYTES_MAX,
} from '../../domain/limits/messages.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { ListedMessage } from './listed-messages.ts';

export interface Page<Message> {
  /** Ascending. */
  readonly messages: readonly Message[];
  /** True if messages before or after these were left out. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/**
 * Makes messages from an anchor on, to both sides of it, until one answer is full. The anchor and
 * one message on each side are always included, so that a client which continues from the ends of a
 * page makes progress.
 */
export function pageAround<Message extends Sized>(
  make: (row: MessageRow) => Message,
  { rows, anchor }: { readonly rows: readonly MessageRow[]; readonly anchor: number },
): Page<Message> {
  const before = openSide<Message>(rows.filter(({ id }) => id < anchor).toReversed());
  const after = openSide<Message>(rows.filter(({ id }) => id > anchor));
  const middle = rows.filter(({ id }) => id === anchor).map(make);
  let left = FETCHED_BYTES_MAX;
  for (const message of middle) left -= sizeOf(message);
  for (;;) {
    const side = nextOf(before, after, left);
    const row = side?.rows[side.messages.length];
    if (side === undefined || row === undefined) break;
    const message = make(row);
    const bytes = sizeOf(message);
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

interface Side<Message> {
  /** Rows in order from the anchor. */
  readonly rows: readonly MessageRow[];
  readonly messages: Message[];
  bytes: number;
}

const openSide = <Message>(rows: readonly MessageRow[]): Side<Message> => ({
  rows,
  messages: [],
  bytes: 0,
});

const isWhole = <Message>({ rows, messages }: Side<Message>) => messages.length === rows.length;

/**
 * Returns the side with fewer bytes among those with more rows; once the page is full, only a side
 * that has none yet.
 */
function nextOf<Message>(
  before: Side<Message>,
  after: Side<Message>,
  left: number,
): Side<Message> | undefined {
  const grows = (side: Side<Message>) => !isWhole(side) && (left > 0 || side.messages.length === 0);
  if (!grows(before)) return grows(after) ? after : undefined;
  return grows(after) && after.bytes < before.bytes ? after : before;
}

export interface Budget {
  /** Notes bytes that were read. */
  read(bytes: number): void;
  /** Notes a part of the answer, and returns it. */
  written<Part extends Sized>(part: Part): Part;
}

/**
 * Opens a budget for messages named by id, which cannot be left out of an answer; it refuses too
 * many bytes.
 */
export function openBudget(): Budget {
  let [bytesRead, bytes, count] = [0, 0, 0];
  return {
    read(more) {
      if (bytesRead > FETCHED_READ_BYTES_MAX) throw tooLong();
      bytesRead += more;
    },
    written(part) {
      if (bytes > FETCHED_BYTES_MAX && count > 0) throw tooLong();
      bytes += sizeOf(part);
      count += 1;
      return part;
    },
  };
}

const tooLong = () =>
  errors.badRequest('These messages are too long for one answer. Ask for fewer at once.');

/** The part of a message that decides how long it is. */
export interface Sized
  extends WithUndefined<
    Pick<ListedMessage, 'content' | 'match_content' | 'edit_history' | 'reactions' | 'submessages'>
  > {
  /** A text, or the people of a direct message. */
  readonly display_recipient?: string | readonly object[] | undefined;
  /** The estimate, where it was made already. */
  readonly bytes?: number;
}

type WithUndefined<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Estimates the bytes of a message as JSON; escaped characters count as one. */
export function sizeOf(message: Sized): number {
  if (message.bytes !== undefined) return message.bytes;
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

/** Bytes of an entry of lists within a message, besides its texts. */
const PERSON_BYTES = 120;
const REACTION_BYTES = 100;
const PART_BYTES = 100;
