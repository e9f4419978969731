import { z } from 'zod';
import * as objects from '../../domain/objects.ts';
import * as realmSettings from '../../operations/realm-settings.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsAlone } from '../permissions.ts';
import { realmChange, realmParams } from './realm-params.ts';

export const updateRealm = endpoint({
  summary: 'Change the settings of the organization',
  description:
    'How people log in, how long messages are kept, who invites people and manages groups, which mail domains there may ' +
    'be and how long somebody is new are for owners alone. The answer has what has changed, texts as `updated`.',
  method: 'PATCH',
  path: '/realm',
  allow: administratorsAlone,
  params: realmParams,
  reply: changedFields(),
  refuses: [
    'BAD_REQUEST',
    'UNAUTHORIZED_PRINCIPAL',
    'REQUEST_VARIABLE_INVALID',
    'EXPECTATION_MISMATCH',
    'SYSTEM_GROUP_REQUIRED',
  ],
  emits: ['realm', 'user_group'],
  change: (tx, asked) => realmSettings.change(tx, asked, realmChange(asked.params)),
});

/** Each parameter may come back. */
function changedFields() {
  const value = z.union([
    z.boolean(),
    z.int().nullable(),
    z.literal('updated'),
    z.record(z.string(), z.boolean()),
    objects.groupSettingValue,
  ]);
  const names = Object.keys(realmParams).filter(
    (name) => name !== 'mandatory_topics' && name !== 'string_id',
  );
  return Object.fromEntries(names.map((name) => [name, value.optional()]));
}
