import * as userDefaults from '../../operations/users/defaults.ts';
import { endpoint } from '../endpoint.ts';
import { administratorsOnly } from '../permissions.ts';
import { settingParams } from '../settings/setting-params.ts';

/** Two settings about mails that the organization does not decide are left out. */
const { enable_login_emails, enable_marketing_emails, ...params } = settingParams;

export const updateUserDefaults = endpoint({
  summary: 'Change the settings that new accounts begin with',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  allow: administratorsOnly,
  params,
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_user_settings_defaults'],
  change: (tx, request) => userDefaults.set(tx, request.params),
});
