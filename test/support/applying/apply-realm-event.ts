import { type SystemGroupName, systemGroupName } from '../../../src/domain/wire/system-groups.ts';
import type { WireEvent } from '../client.ts';
import { computeRights } from './apply-group-event.ts';
import type { Snapshot } from './snapshot.ts';

type Entry = Record<string, unknown>;

/** Changes that a client makes on events of the organization. */
export const REALM_CHANGES: Readonly<Record<string, (state: Snapshot, event: WireEvent) => void>> =
  {
    // A client logs out; nothing comes after it.
    'realm deactivated': () => undefined,
    'realm update': (state, { property, value }) => {
      state[`realm_${property}`] = value;
      if (property === 'message_edit_history_visibility_policy') {
        state['realm_allow_edit_history'] = value !== 'none';
      }
      if (property === 'jitsi_server_url') {
        state['jitsi_server_url'] = value ?? state['server_jitsi_server_url'];
      }
      computeRights(state);
    },
    'realm update_dict': (state, { data }) => {
      for (const [name, value] of Object.entries(data as Entry)) {
        state[`realm_${name}`] = value;
        const [legacy, policies] = LEGACY[name] ?? [];
        if (legacy !== undefined) {
          const group = typeof value === 'number' ? systemGroupName(value) : undefined;
          state[`realm_${legacy}`] = policies?.[group ?? 'role:moderators'];
        }
      }
      if (data.authentication_methods !== undefined) {
        const { enabled } = data.authentication_methods.Email;
        state['realm_email_auth_enabled'] = enabled;
        state['realm_password_auth_enabled'] = enabled;
      }
      computeRights(state);
    },
    realm_linkifiers: (state, { realm_linkifiers }) => {
      state['realm_linkifiers'] = realm_linkifiers;
    },
    realm_playgrounds: (state, { realm_playgrounds }) => {
      state['realm_playgrounds'] = realm_playgrounds;
    },
    'realm_emoji update': (state, { realm_emoji }) => {
      state['realm_emoji'] = realm_emoji;
    },
    'realm_user_settings_defaults update': (state, { property, value }) => {
      const defaults = state['realm_user_settings_defaults'] as Entry;
      if (!(property in defaults)) throw new Error(`there is no default of ${property}`);
      defaults[property] = value;
    },
    'realm_domains add': (state, { realm_domain }) => {
      domainsOf(state).push(realm_domain);
    },
    'realm_domains change': (state, { realm_domain: changed }) => {
      Object.assign(domainOf(state, changed.domain), changed);
    },
    'realm_domains remove': (state, { domain }) => {
      const gone = domainOf(state, domain);
      state['realm_domains'] = domainsOf(state).filter((known) => known !== gone);
    },
  };

const domainsOf = (state: Snapshot) => state['realm_domains'] as { readonly domain: string }[];

function domainOf(state: Snapshot, domain: string) {
  const found = domainsOf(state).find((known) => known.domain === domain);
  if (found === undefined) throw new Error(`${domain} is not known`);
  return found;
}

type Policies = Readonly<Partial<Record<SystemGroupName, number>>>;

const CREATING: Policies = {
  'role:everyone': 1,
  'role:members': 1,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:administrators': 2,
  'role:owners': 2,
  'role:nobody': 2,
};

/**
 * Policies of older clients. No event tells of them: a client works them out
 * (reference/events-and-register.md 5.3).
 */
const LEGACY: Readonly<Record<string, readonly [name: string, policies: Policies]>> = {
  can_mention_many_users_group: [
    'wildcard_mention_policy',
    {
      'role:everyone': 1,
      'role:members': 2,
      'role:fullmembers': 3,
      'role:moderators': 7,
      'role:administrators': 5,
      'role:owners': 5,
      'role:nobody': 6,
    },
  ],
  can_create_public_channel_group: ['create_public_stream_policy', CREATING],
  can_create_private_channel_group: ['create_private_stream_policy', CREATING],
  can_create_web_public_channel_group: [
    'create_web_public_stream_policy',
    { 'role:moderators': 4, 'role:administrators': 2, 'role:owners': 7, 'role:nobody': 6 },
  ],
};
