import { parseNarrow } from '../../src/domain/rules/messages/narrow.ts';
import { EncodedList, jsonOf } from '../../src/domain/wire/encoded-list.ts';
import {
  type Anchor,
  fetchEncoded,
  fetchEncodedById,
  fetchMessages,
  fetchMessagesById,
  type MessageList,
} from '../../src/operations/reading/message-list.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { MEMBER } from './history-store.ts';
import type { Kind } from './narrows.ts';
import { callerOf, hashOf } from './search-store.ts';

export const PAGE = 100;

export interface Request {
  readonly kind: Kind;
  readonly n: number;
  readonly lastId: number;
}

export const FORM = {
  applyMarkdown: true,
  clientGravatar: true,
  allowEmptyTopicName: true,
} as const;

/** Undefined when the request was refused. */
export const fetch = (reader: RealmReader, request: Request) =>
  asked(reader, request, { range: fetchMessages, byIds: fetchMessagesById }) as
    | MessageList<Listed>
    | undefined;

/** Every message that is listed has an id. */
export interface Listed {
  readonly id: number;
}

/** The same as bytes of JSON, as the endpoint gives it; `null` when the request was refused. */
export function fetchJson(reader: RealmReader, request: Request): Buffer {
  const list = asked(reader, request, { range: fetchEncoded, byIds: fetchEncodedById });
  if (list === undefined) return Buffer.from('null');
  const messages = new EncodedList(list.messages.map(({ json }) => json));
  return Buffer.from(jsonOf({ ...list, messages }));
}

interface Ways<Message> {
  readonly range: (
    reader: RealmReader,
    request: Parameters<typeof fetchMessages>[1],
  ) => MessageList<Message>;
  readonly byIds: (
    reader: RealmReader,
    request: Parameters<typeof fetchMessagesById>[1],
  ) => MessageList<Message>;
}

function asked<Message>(
  reader: RealmReader,
  { kind, n, lastId }: Request,
  { range: inRange, byIds }: Ways<Message>,
): MessageList<Message> | undefined {
  const { user, site } = callerOf({ reader }, kind.as ?? MEMBER);
  const narrow = parseNarrow(kind.narrow(n));
  const middle = 1 + (hashOf(`${n} anchor`) % lastId);
  try {
    if (n % 10 === 9) {
      const messageIds = Array.from({ length: PAGE }, (_, index) => middle + index);
      return byIds(reader, { user, site, narrow, messageIds, ...FORM });
    }
    const { anchor, numBefore, numAfter } = pages(middle)[n % 4] ?? pages(middle)[0];
    const range = { anchor, numBefore, numAfter, includeAnchor: true };
    return inRange(reader, { user, site, narrow, ...range, ...FORM });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

interface Page {
  readonly anchor: Anchor;
  readonly numBefore: number;
  readonly numAfter: number;
}

const pages = (middle: number): readonly [Page, ...Page[]] => [
  { anchor: 'newest', numBefore: PAGE, numAfter: 0 },
  { anchor: 'oldest', numBefore: 0, numAfter: PAGE },
  { anchor: middle, numBefore: PAGE / 2, numAfter: PAGE / 2 },
  { anchor: 'first_unread', numBefore: PAGE / 2, numAfter: PAGE / 2 },
];

/** The same reader, which counts what is read. */
export function countingReader(reader: RealmReader) {
  let rows = 0;
  let others = 0;
  const counting: Record<string, unknown> = { ...reader };
  for (const [name, read] of Object.entries(reader)) {
    if (typeof read !== 'object') continue;
    const own = { ...read };
    for (const [method, call] of Object.entries<(...parameters: never[]) => unknown>(read)) {
      own[method] = function (this: unknown, ...parameters: never[]) {
        if (name === 'messages' && method === 'get') rows += 1;
        // These two call `range` and `keys`.
        else if (method !== 'under' && method !== 'keysUnder') others += 1;
        return call.apply(this, parameters);
      };
    }
    counting[name] = own;
  }
  return {
    during(act: (counted: RealmReader) => unknown) {
      rows = 0;
      others = 0;
      act(counting as unknown as RealmReader); // has the tables of the one it is made from
      return { rows, others };
    },
  };
}
