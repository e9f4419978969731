import { z } from 'zod';
import { id } from '../../domain/wire/objects.ts';
import * as exports from '../../operations/realm/exports.ts';
import { endpoint } from '../endpoint.ts';
import { administrators } from '../permissions.ts';

export const getExportConsents = endpoint({
  summary: 'Get who lets their private data be exported',
  description: 'The people with an account in use, by their setting `allow_private_data_export`.',
  method: 'GET',
  path: '/export/realm/consents',
  allow: administrators,
  params: {},
  reply: {
    export_consents: z.array(z.strictObject({ user_id: id, consented: z.boolean() })),
  },
  read: (reader) => ({ export_consents: exports.consents(reader) }),
});
