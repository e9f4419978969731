import { z } from 'zod';
import { parseNarrow, termsOf } from '../../domain/rules/messages/narrow.ts';
import { EncodedList } from '../../domain/wire/encoded-list.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as messageObjects from '../../domain/wire/message-objects.ts';
import type { EncodedMessage } from '../../operations/reading/encoded-messages.ts';
import {
  fetchEncoded,
  fetchEncodedById,
  type MessageList,
} from '../../operations/reading/message-list.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { boolean, idList, naturalNumber } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { anchor, narrow } from './range-params.ts';

const params = {
  anchor: anchor.optional(),
  include_anchor: boolean.optional(),
  num_before: naturalNumber.optional(),
  num_after: naturalNumber.optional(),
  narrow,
  client_gravatar: boolean.default(true),
  apply_markdown: boolean.default(true),
  use_first_unread_anchor: boolean.optional(),
  message_ids: idList.optional(),
  allow_empty_topic_name: boolean.default(false),
};

export const getMessages = endpoint({
  summary: 'Get messages',
  description:
    'An answer has room for some 4 MiB of messages: a range of longer ones ends early, next to its anchor, which ' +
    '`found_oldest` and `found_newest` tell. Ask on from its first or last message. More messages by `message_ids` are refused.',
  method: 'GET',
  path: '/messages',
  rate: 'search',
  allow: anyUser,
  spectators: true,
  params,
  reply: {
    messages: z.array(messageObjects.listedMessage),
    found_anchor: z.boolean(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    history_limited: z.boolean(),
    // The anchor after every message is beyond the integers of JSON.
    anchor: z.number().optional().describe('Of a range: the id it was taken at'),
  },
  refuses: ['BAD_REQUEST', 'BAD_NARROW'],
  read(reader, { user, site, params: values, noteSearch }) {
    const begunAt = performance.now();
    const terms = parseNarrow(values.narrow);
    const request = {
      user,
      site,
      narrow: terms,
      applyMarkdown: values.apply_markdown,
      clientGravatar: values.client_gravatar,
      allowEmptyTopicName: values.allow_empty_topic_name,
    };
    const { message_ids: messageIds } = values;
    if (messageIds !== undefined) {
      refuseRange(values);
      return encoded(fetchEncodedById(reader, { ...request, messageIds }));
    }
    const list = fetchEncoded(reader, {
      ...request,
      anchor: anchorOf(values),
      includeAnchor: values.include_anchor ?? true,
      numBefore: values.num_before ?? 0,
      numAfter: values.num_after ?? 0,
    });
    if (termsOf(terms, 'search').length > 0) noteSearch(performance.now() - begunAt);
    return encoded(list);
  },
});

const encoded = (list: MessageList<EncodedMessage>) => ({
  ...list,
  messages: new EncodedList(list.messages.map(({ json }) => json)),
});

type Values = ParsedRequest<typeof params>['params'];

/**
 * Returns the anchor. `use_first_unread_anchor` "wins over `anchor` (the terminal client sends
 * both)".
 */
function anchorOf({ anchor: given, use_first_unread_anchor }: Values) {
  if (use_first_unread_anchor) return 'first_unread';
  if (given === undefined) throw errors.badRequest("Missing 'anchor' argument.");
  return given;
}

const OF_A_RANGE = [
  'anchor',
  'include_anchor',
  'num_before',
  'num_after',
  'use_first_unread_anchor',
] as const;

/** Refuses a range together with ids. */
function refuseRange(values: Values) {
  const given = OF_A_RANGE.filter((name) => values[name] !== undefined);
  if (given.length > 0) throw errors.incompatibleParameters([...given, 'message_ids']);
}
