import { imageSetting, shownImage } from '../../domain/rules/realm/realm-state.ts';
import { withAliases } from '../../domain/rules/texts/aliases.ts';
import * as errors from '../../domain/wire/errors.ts';
import { NO_NAMES } from '../../markdown/directory.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import { hasPhoneService } from '../../settings/services.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import { externalMethods, signInEntries } from '../access/sign-in.ts';
import { showsItself } from '../access/spectators.ts';
import { serviceState } from './initial-state.ts';

/**
 * Returns the public settings (specification, GET /server_settings), fewer of them if the host
 * names no realm.
 */
export function serverSettings(tx: Reads | undefined, site: Site): Record<string, unknown> {
  if (tx === undefined && isSubdomain(site)) throw errors.badRequest('Invalid subdomain');
  const isPasswordAuth =
    tx === undefined || realmSetting(tx, 'authentication_methods').Email === true;
  const hasDirectory = tx !== undefined && signInEntries(tx, site, 'ldap').length > 0;
  const settings = {
    authentication_methods: {
      ...NO_METHODS,
      password: isPasswordAuth || hasDirectory,
      email: isPasswordAuth,
      ldap: hasDirectory,
      'openid connect': tx !== undefined && signInEntries(tx, site, 'openid').length > 0,
    },
    external_authentication_methods: tx === undefined ? [] : externalMethods(tx, site),
    ...serviceState(),
    push_notifications_enabled: hasPhoneService(site.settings),
    is_incompatible: false,
    email_auth_enabled: isPasswordAuth,
    require_email_format_usernames: !hasDirectory,
    ...(tx === undefined ? {} : realmPart(tx, site)),
  };
  return withAliases(settings, site.settings.aliasPrefix);
}

/**
 * Tests for a host below the server's own, where a realm would be; the server's own host names
 * none, and neither does any other.
 */
const isSubdomain = ({ requestHost, host }: Site) =>
  requestHost.replace(/:\d+$/, '').endsWith(`.${host}`);

function realmPart(tx: Reads, site: Site) {
  const { name, description } = realms.existing(tx);
  const icon = shownImage('icon', realmSetting(tx, imageSetting('icon')), site.url);
  return {
    realm_url: site.currentUrl,
    realm_uri: site.currentUrl,
    realm_name: name,
    realm_icon: icon['icon_url'],
    // Visitors see no names of people and channels.
    realm_description: renderMarkdown(description, NO_NAMES).html,
    realm_web_public_access_enabled: showsItself(tx, site.settings),
  };
}

/** All keys that clients look for; most are ways to log in that this service does not have. */
const NO_METHODS = {
  password: false,
  dev: false,
  email: false,
  ldap: false,
  remoteuser: false,
  saml: false,
  'openid connect': false,
  apple: false,
  azuread: false,
  github: false,
  gitlab: false,
  google: false,
};
