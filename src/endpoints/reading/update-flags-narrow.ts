import { z } from 'zod';
import { parseNarrow } from '../../domain/rules/messages/narrow.ts';
import { updateFlagsInNarrow } from '../../operations/reading/flags.ts';
import { endpoint } from '../endpoint.ts';
import { anchor, narrow } from '../messages/range-params.ts';
import { boolean, naturalNumber, word } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const updateFlagsNarrow = endpoint({
  summary: 'Change a personal flag of the messages in a range of a narrow',
  method: 'POST',
  path: '/messages/flags/narrow',
  rate: 'search',
  allow: anyUser,
  params: {
    anchor,
    include_anchor: boolean.default(true),
    num_before: naturalNumber,
    num_after: naturalNumber,
    narrow,
    op: word,
    flag: word,
  },
  reply: {
    processed_count: z.int(),
    updated_count: z.int(),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    ignored_because_not_subscribed_channels: z.array(z.int()).optional(),
  },
  refuses: ['BAD_REQUEST', 'BAD_NARROW'],
  emits: ['update_message_flags'],
  change: (tx, request) => {
    const { params } = request;
    return updateFlagsInNarrow(tx, request, {
      anchor: params.anchor,
      includeAnchor: params.include_anchor,
      numBefore: params.num_before,
      numAfter: params.num_after,
      narrow: parseNarrow(params.narrow),
      op: params.op,
      flag: params.flag,
    });
  },
});
