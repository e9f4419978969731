import { type Changes, changed, NOTHING } from './change.ts';
import { computeRights } from './groups.ts';

export const ORGANIZATION: Changes = {
  'realm update': (state, { property, value }) => {
    Object.assign(state.facts, { [`realm_${property}`]: value });
    if (property === 'message_edit_history_visibility_policy') {
      state.facts.realm_allow_edit_history = value !== 'none';
    }
    if (property === 'jitsi_server_url') {
      state.facts.jitsi_server_url =
        typeof value === 'string' ? value : (state.facts.server_jitsi_server_url ?? null);
    }
    return computeRights(state) ? ['realm', 'own'] : ['realm'];
  },
  'realm update_dict': (state, { data }) => {
    for (const [name, value] of Object.entries(data)) {
      Object.assign(state.facts, { [`realm_${name}`]: value });
    }
    const email = data.authentication_methods?.['Email'];
    if (email !== undefined) {
      state.facts.realm_email_auth_enabled = email.enabled;
      state.facts.realm_password_auth_enabled = email.enabled;
    }
    return computeRights(state) ? ['realm', 'own'] : ['realm'];
  },
  'realm_user_settings_defaults update': (state, { property, value }) => {
    const { realm_user_settings_defaults: defaults } = state.facts;
    if (defaults === undefined) return NOTHING;
    state.facts.realm_user_settings_defaults = changed(defaults, { [property]: value });
    return ['realm'];
  },
  realm_linkifiers: (state, { realm_linkifiers }) => {
    state.facts.realm_linkifiers = realm_linkifiers;
    return ['linkifiers'];
  },
  realm_playgrounds: (state, { realm_playgrounds }) => {
    state.facts.realm_playgrounds = realm_playgrounds;
    return ['playgrounds'];
  },
  'realm_emoji update': (state, { realm_emoji }) => {
    state.facts.realm_emoji = realm_emoji;
    return ['emoji'];
  },
  'realm_domains add': (state, { realm_domain: added }) => {
    state.facts.realm_domains = [...(state.facts.realm_domains ?? []), added];
    return ['domains'];
  },
  'realm_domains change': (state, { realm_domain: change }) => {
    const domains = state.facts.realm_domains ?? [];
    if (!domains.some(({ domain }) => domain === change.domain)) {
      state.mismatch('realm_domains', `${change.domain} is not known`);
    }
    state.facts.realm_domains = domains.map((one) => (one.domain === change.domain ? change : one));
    return ['domains'];
  },
  'realm_domains remove': (state, { domain: gone }) => {
    const domains = state.facts.realm_domains ?? [];
    state.facts.realm_domains = domains.filter(({ domain }) => domain !== gone);
    if (state.facts.realm_domains.length === domains.length) {
      state.mismatch('realm_domains', `${gone} is not known`);
    }
    return ['domains'];
  },
  restart: (state, { server_generation }) => {
    state.facts.server_generation = server_generation;
    return ['server'];
  },
};
