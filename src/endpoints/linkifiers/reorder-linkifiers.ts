import * as linkifiers from '../../operations/rendering/linkifiers.ts';
import { endpoint } from '../endpoint.ts';
import { idList } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const reorderLinkifiers = endpoint({
  summary: 'Change the order in which linkifiers are applied',
  method: 'PATCH',
  path: '/realm/linkifiers',
  allow: administratorsOnly,
  params: { ordered_linkifier_ids: idList.describe('Every linkifier, once') },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_linkifiers'],
  change: (tx, { params }) => linkifiers.reorder(tx, params.ordered_linkifier_ids),
});
