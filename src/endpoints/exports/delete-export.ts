import * as exports from '../../operations/realm/exports.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administrators } from '../permissions.ts';

export const deleteExport = endpoint({
  summary: 'Delete the archive of an export',
  description:
    'The export stays on the list. Archives that nobody deletes are deleted after 30 days.',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  allow: administrators,
  params: { export_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_export'],
  change: (tx, { params }) => exports.remove(tx, params.export_id),
});
