import * as linkifiers from '../../operations/rendering/linkifiers.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const removeLinkifier = endpoint({
  summary: 'Remove a linkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  allow: administratorsOnly,
  params: { filter_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_linkifiers'],
  change: (tx, { params }) => linkifiers.remove(tx, params.filter_id),
});
