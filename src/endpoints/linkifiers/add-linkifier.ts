import { z } from 'zod';
import * as linkifiers from '../../operations/rendering/linkifiers.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { pattern, urlTemplate } from './linkifier-params.ts';

export const addLinkifier = endpoint({
  summary: 'Add a linkifier',
  method: 'POST',
  path: '/realm/filters',
  allow: administratorsOnly,
  params: { pattern, url_template: urlTemplate },
  reply: { id: z.int() },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_linkifiers'],
  change: (tx, { params }) =>
    linkifiers.add(tx, { pattern: params.pattern, urlTemplate: params.url_template }),
});
