import { z } from 'zod';
import { serverSettings } from '../../operations/registration/server-settings.ts';
import { endpoint } from '../endpoint.ts';

const externalMethod = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  display_icon: z.string().nullable(),
  login_url: z.string(),
  signup_url: z.string(),
});

export const getServerSettings = endpoint({
  summary: 'Get what anyone may know of the server',
  method: 'GET',
  path: '/server_settings',
  params: {},
  reply: {
    authentication_methods: z.record(z.string(), z.boolean()).describe('Deprecated'),
    external_authentication_methods: z.array(externalMethod).describe('In the order to be shown'),
    service_version: z.string(),
    service_merge_base: z.string(),
    service_feature_level: z.int(),
    push_notifications_enabled: z.boolean(),
    is_incompatible: z.boolean(),
    email_auth_enabled: z.boolean(),
    require_email_format_usernames: z.boolean(),
    realm_url: z.string().optional().describe('This and the rest: where the host names a realm'),
    realm_uri: z.string().optional().describe('Deprecated: as `realm_url`'),
    realm_name: z.string().optional(),
    realm_icon: z.string().optional(),
    realm_description: z.string().optional().describe('HTML'),
    realm_web_public_access_enabled: z.boolean().optional(),
  },
  refuses: ['BAD_REQUEST'],
  visit: ({ realm, site, answer }) => answer(serverSettings(realm?.reader, site)),
});
