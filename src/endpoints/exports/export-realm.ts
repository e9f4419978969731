import { z } from 'zod';
import * as exports from '../../operations/realm/exports.ts';
import { endpoint } from '../endpoint.ts';
import { json } from '../params.ts';
import { administrators } from '../permissions.ts';

export const exportRealm = endpoint({
  summary: 'Have the organization exported',
  description:
    'Written in the background, as of one moment; `realm_export` events tell what becomes of it, and a link to the archive ' +
    'when it is there. It holds no passwords, keys or invitations. At most five in a week, of an organization of at most ' +
    '250,000 messages and 10 GiB of files.',
  method: 'POST',
  path: '/export/realm',
  allow: administrators,
  params: {
    export_type: json(z.union([z.literal(1), z.literal(2)], { error: 'is invalid' }))
      .default(1)
      .describe(
        '1: what is public; 2: also the private channels, conversations and personal data of those who agreed to it',
      ),
  },
  reply: { id: z.int() },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_export'],
  change: (tx, { user, params }) => ({ id: exports.request(tx, user, params.export_type) }),
});
