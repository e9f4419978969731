import { z } from 'zod';
import { DRAFTS_PER_REQUEST_MAX } from '../../domain/limits/personal.ts';
import * as drafts from '../../operations/personal/drafts.ts';
import { endpoint } from '../endpoint.ts';
import { json } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { writtenDraft } from './draft-params.ts';

export const createDrafts = endpoint({
  summary: 'Store drafts',
  description:
    'All are stored, or none. `type` says where a draft is to go: `stream`, then `to` is a list of one channel; `private`, ' +
    'then `to` lists people, perhaps nobody yet; or empty while it is not said. `timestamp` is when it was last edited, in ' +
    'UNIX seconds, usually now. An unknown key of a draft is refused. While `enable_drafts_synchronization` is off, so is ' +
    'every request about drafts.',
  method: 'POST',
  path: '/drafts',
  takesMuch: true,
  allow: anyUser,
  params: {
    drafts: json(
      z
        .array(writtenDraft, { error: 'is not a list' })
        .max(DRAFTS_PER_REQUEST_MAX, `has more than ${DRAFTS_PER_REQUEST_MAX} items`),
    ),
  },
  reply: { ids: z.array(z.int()).describe('In the order of `drafts`') },
  refuses: ['BAD_REQUEST'],
  emits: ['drafts'],
  change: (tx, { user, params }) => ({ ids: drafts.add(tx, user, params.drafts) }),
});
