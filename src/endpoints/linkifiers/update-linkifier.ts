import * as linkifiers from '../../operations/rendering/linkifiers.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';
import { pattern, urlTemplate } from './linkifier-params.ts';

export const updateLinkifier = endpoint({
  summary: 'Change a linkifier',
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  allow: administratorsOnly,
  params: { filter_id: integer, pattern, url_template: urlTemplate },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_linkifiers'],
  change: (tx, { params }) =>
    linkifiers.update(tx, params.filter_id, {
      pattern: params.pattern,
      urlTemplate: params.url_template,
    }),
});
