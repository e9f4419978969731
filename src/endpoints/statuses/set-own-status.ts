import * as userSettings from '../../operations/accounts/user-settings.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { people } from '../permissions.ts';
import { statusParams } from './status-params.ts';

export const setOwnStatus = endpoint({
  summary: 'Set your own status',
  method: 'POST',
  path: '/users/me/status',
  allow: people,
  params: {
    ...statusParams,
    away: boolean.optional().describe('Legacy: not the setting `presence_enabled`'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['user_status', 'user_settings', 'update_global_notifications', 'presence'],
  change: (tx, { params, ...caller }) => userSettings.setOwnStatus(tx, caller, params),
});
