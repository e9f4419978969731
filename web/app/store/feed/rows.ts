import { type Message, peopleOf } from './message.ts';
import type { WindowRow } from './window.ts';

/** A message that is on its way, or was refused. */
export interface PendingMessage {
  readonly key: string;
  readonly state: 'pending' | 'sent' | 'refused';
  readonly content: string;
  /** Why the server refused it, in its words. */
  readonly refusal: string | null;
  /** True if no message of the same sender is right above it. */
  readonly hasHead?: boolean;
}

/** A row of the feed. */
export type Row = WindowRow &
  (
    | { readonly kind: 'date'; readonly timestamp: number }
    | {
        readonly kind: 'message';
        readonly message: Message;
        /** True if the sender is shown: the message continues none of the same sender. */
        readonly hasHead: boolean;
        /** True if another conversation begins, whose name is above the message. */
        readonly hasPlace: boolean;
        /** True if the line "new" is above it. */
        readonly isFirstUnread: boolean;
        /** The place among the messages, from 1 on. */
        readonly position: number;
      }
    | { readonly kind: 'pending'; readonly pending: PendingMessage; readonly hasHead: boolean }
  );

export interface RowOptions {
  /** True if conversations are mixed, so that each has a bar with its name. */
  readonly isInterleaved: boolean;
  readonly firstUnreadId: number | null;
  /** Names the day of a time for the reader, so that each day has a line. */
  readonly dayOf: (timestamp: number) => string;
}

/** Messages of one sender stand together if they are no further apart: ten minutes. */
const RUN_SECONDS = 600;

const DATE_PX = 40;
const PLACE_PX = 44;
const NEW_PX = 32;
const HEAD_PX = 30;
const LINE_PX = 23;
/** Characters of a line of text, and HTML that stands around it. */
const LINE_LENGTH = 95;

/** Returns the key of a message's row. */
export const keyOfMessage = (id: number): string => `m${id}`;

/**
 * Makes the rows of messages. Those that follow from the same messages as the last time are kept: a
 * new message costs what it adds.
 */
export class Rows {
  #messages: readonly Message[] = [];
  #options: RowOptions | null = null;
  #rows: Row[] = [];
  /** The number of rows up to each message, with it. */
  #ends: number[] = [];

  of(messages: readonly Message[], options: RowOptions): readonly Row[] {
    const kept = this.#sameAs(messages, options);
    const rows = this.#rows.slice(0, this.#ends[kept - 1] ?? 0);
    const ends = this.#ends.slice(0, kept);
    for (let index = kept; index < messages.length; index++) {
      const message = messages[index];
      if (message === undefined) break;
      addRows(rows, { message, before: messages[index - 1], position: index + 1, options });
      ends.push(rows.length);
    }
    this.#messages = messages;
    this.#options = options;
    this.#rows = rows;
    this.#ends = ends;
    return rows;
  }

  /** Returns how many messages from the first one on are the same, with the same options. */
  #sameAs(messages: readonly Message[], options: RowOptions) {
    const before = this.#options;
    if (
      before?.isInterleaved !== options.isInterleaved ||
      before.firstUnreadId !== options.firstUnreadId ||
      before.dayOf !== options.dayOf
    ) {
      return 0;
    }
    let count = 0;
    while (count < messages.length && messages[count] === this.#messages[count]) count += 1;
    return count;
  }
}

interface Adding {
  readonly message: Message;
  readonly before: Message | undefined;
  readonly position: number;
  readonly options: RowOptions;
}

function addRows(rows: Row[], { message, before, position, options }: Adding) {
  const { isInterleaved, firstUnreadId, dayOf } = options;
  const { id, timestamp } = message;
  const isNewDay = before === undefined || dayOf(before.timestamp) !== dayOf(timestamp);
  if (isNewDay) rows.push({ kind: 'date', key: `d${id}`, estimate: DATE_PX, timestamp });
  const isFirstUnread = id === firstUnreadId && position > 1;
  const isElsewhere = before === undefined || !isSamePlace(before, message);
  const hasPlace = isInterleaved && (isElsewhere || isNewDay);
  const hasHead = isNewDay || isFirstUnread || isElsewhere || !isRun(before, message);
  const estimate =
    estimateOf(message.content, hasHead) + (hasPlace ? PLACE_PX : 0) + (isFirstUnread ? NEW_PX : 0);
  const key = keyOfMessage(id);
  const shown = { message, hasHead, hasPlace, isFirstUnread, position };
  rows.push({ kind: 'message', key, estimate, ...shown });
}

const isRun = (before: Message, message: Message) =>
  before.sender_id === message.sender_id &&
  message.timestamp - before.timestamp < RUN_SECONDS &&
  !before.is_me_message &&
  !message.is_me_message;

/** Tells whether two messages are of one conversation. */
export function isSamePlace(one: Message, other: Message): boolean {
  if (one.type !== other.type) return false;
  if (one.type === 'stream') {
    return (
      one.stream_id === other.stream_id && one.subject.toLowerCase() === other.subject.toLowerCase()
    );
  }
  const people = new Set(peopleOf(one));
  const others = peopleOf(other);
  return people.size === others.length && others.every((id) => people.has(id));
}

/** A guess of the height, by which the list can be scrolled before all rows were laid out. */
export function estimateOf(content: string, hasHead: boolean): number {
  const lines = Math.ceil(content.length / LINE_LENGTH);
  const breaks = Math.max(1, Math.min(lines, 200));
  const pictures = content.split('message_inline_image').length - 1;
  return (hasHead ? HEAD_PX : 4) + breaks * LINE_PX + Math.min(pictures, 20) * 180;
}

/** Makes rows of what is on its way, at the end of the list. */
export const pendingRows = (pending: readonly PendingMessage[], isAfterOwn: boolean): Row[] =>
  pending.map((one, index) => ({
    kind: 'pending',
    key: `o${one.key}`,
    estimate: estimateOf(one.content, index === 0 && !isAfterOwn),
    pending: one,
    hasHead: index === 0 && !isAfterOwn,
  }));
