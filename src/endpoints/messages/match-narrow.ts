import { z } from 'zod';
import { parseNarrow } from '../../domain/rules/messages/narrow.ts';
import { matchesOf } from '../../operations/reading/message-list.ts';
import { endpoint } from '../endpoint.ts';
import { idList, json, meaning } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { terms } from './range-params.ts';

export const matchNarrow = endpoint({
  summary: 'Tell which messages match a narrow',
  description: 'An answer has room for some 4 MiB of messages; more at once are refused.',
  method: 'GET',
  path: '/messages/matches_narrow',
  rate: 'search',
  allow: anyUser,
  params: {
    msg_ids: idList,
    narrow: meaning(json(z.array(z.unknown(), { error: 'is not a list' })), terms, true),
  },
  reply: {
    messages: z
      .record(
        z.string(),
        z.object({
          match_content: z
            .string()
            .meta({ description: 'HTML, with what was searched for marked.' }),
          match_subject: z.string().meta({ description: 'The same of the topic.' }),
        }),
      )
      .meta({ description: 'Those that match, by id.' }),
  },
  refuses: ['BAD_REQUEST', 'BAD_NARROW'],
  read: (reader, { user, site, params }) => ({
    messages: matchesOf(reader, {
      user,
      site,
      narrow: parseNarrow(params.narrow),
      messageIds: params.msg_ids,
    }),
  }),
});
