import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Site } from '../../operations/access/caller.ts';
import * as realmSettings from '../../operations/realm/settings.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { realmChange, realmParams } from './realm-params.ts';

export const updateRealm = endpoint({
  summary: 'Change the settings of the organization',
  description:
    'How people log in, how long messages are kept, who invites people and manages groups, which mail domains there may ' +
    'be, how long somebody is new and what its address is are for owners alone. The answer has what has changed, texts as `updated`.',
  method: 'PATCH',
  path: '/realm',
  allow: administratorsOnly,
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
  exchange(request, exchange) {
    const { realm, answer, refuse } = exchange;
    const wanted = realmChange(request.params);
    const { stringId } = wanted;
    realmSettings.refuseRenaming(realm.reader, request.user, stringId);
    const settle = stringId === undefined ? undefined : exchange.claimName(stringId);
    realm.run(
      (tx) => {
        const user = accountOfUser(tx, request.user.id);
        administratorsOnly(user);
        return realmSettings.change(tx, { user, site: request.site }, wanted);
      },
      (outcome) => {
        const site = settle?.(outcome.isDone);
        if (!outcome.isDone) return refuse(outcome.error);
        const isRenamed = site !== undefined && 'string_id' in outcome.reply;
        answer({ ...outcome.reply, ...(isRenamed ? addressOf(site) : {}) });
      },
      request.user.id,
    );
  },
});

/** Returns the address of the organization after the change. */
const addressOf = ({ currentUrl }: Site) => ({ realm_url: currentUrl, realm_uri: currentUrl });

/** Declares the fields of the reply: each parameter may come back. */
function changedFields() {
  const value = z.union([
    z.boolean(),
    z.int().nullable(),
    z.literal('updated'),
    z.record(z.string(), z.boolean()),
    objects.groupSettingValue,
  ]);
  const names = Object.keys(realmParams).filter((name) => name !== 'mandatory_topics');
  return {
    ...Object.fromEntries(names.map((name) => [name, value.optional()])),
    realm_url: z.string().optional().describe('With `string_id`: where it is found now'),
    realm_uri: z.string().optional().describe('Deprecated: as `realm_url`'),
  };
}
