import * as playgrounds from '../../operations/realm/playgrounds.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const removePlayground = endpoint({
  summary: 'Remove a place where code is tried out',
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  allow: administratorsOnly,
  params: { playground_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_playgrounds'],
  change: (tx, { params }) => playgrounds.remove(tx, params.playground_id),
});
