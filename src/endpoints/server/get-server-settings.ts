import { z } from 'zod';
import { serverSettings } from '../../operations/registration/server-settings.ts';
import { endpoint } from '../endpoint.ts';
import { demoPeopleFor } from '../sessions/demo.ts';
import { mailsLinks } from './forgotten-passwords.ts';

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
    service_password_reset_enabled: z
      .boolean()
      .optional()
      .describe('Whether `POST /password_reset` mails links; this and the next are told to pages'),
    service_demo_people: z
      .array(
        z.strictObject({
          user_id: z.int(),
          email: z.string(),
          full_name: z.string(),
          role: z.int(),
        }),
      )
      .optional()
      .describe(
        'Those whom the page may log in as without a password (`POST /sessions/demo`), if there are any',
      ),
  },
  refuses: ['BAD_REQUEST'],
  visit({ realm, site, from, demoPeople, answer }) {
    const settings = serverSettings(realm?.reader, site);
    const isForPage = realm !== undefined && from.page !== undefined;
    answer(isForPage ? { ...settings, ...logInsFor({ realm, site, from, demoPeople }) } : settings);
  },
});

/** Returns what the log-in page of a browser shows besides; programs get what they always got. */
function logInsFor(visit: Parameters<typeof demoPeopleFor>[0]) {
  const people = demoPeopleFor(visit);
  return {
    service_password_reset_enabled: mailsLinks(visit.realm, visit.site),
    ...(people.length === 0 ? {} : { service_demo_people: people }),
  };
}
