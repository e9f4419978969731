import type { WireEvent } from '../client.ts';

type Fields = Record<string, unknown>;

/** The parts of a register reply that events of people and of one's own settings change. */
interface PeopleState {
  readonly user_id: number;
  realm_users: (Fields & { user_id: number })[];
  realm_non_active_users: (Fields & { user_id: number })[];
  user_status?: Record<string, Fields>;
  presences?: Record<string, Fields>;
  user_settings?: Fields;
  custom_profile_fields?: readonly { readonly id: number }[];
}

type Change<State> = (state: State, event: WireEvent) => void;

/** As a client does it; by `type`, or `type op`. */
export const PEOPLE_CHANGES: Readonly<Record<string, Change<PeopleState & Fields>>> = {
  'realm_user update': (state, { person: { user_id, ...change } }) => {
    const all = [...state.realm_users, ...state.realm_non_active_users];
    const user = all.find((one) => one.user_id === user_id);
    if (user === undefined) throw new Error(`user ${user_id} changes, who is not known`);
    if (change.role !== undefined) Object.assign(change, standingOf(change.role));
    if (change.is_active !== undefined) return setActive(state, user, change.is_active);
    const { new_email, avatar_url_medium, avatar_source, custom_profile_field, ...fields } = change;
    if (new_email !== undefined) renamePresence(state, user['email'], new_email);
    Object.assign(user, fields, new_email === undefined ? {} : { email: new_email });
    if (custom_profile_field !== undefined) setField(user, custom_profile_field);
    if (user_id === state.user_id) {
      const { timezone, avatar_version, bot_owner_id, ...own } = fields;
      Object.assign(state, own, new_email === undefined ? {} : { email: new_email });
      if (avatar_url_medium !== undefined) {
        Object.assign(state, { avatar_url_medium, avatar_source });
      }
    }
  },
  user_status: (state, { id, type, user_id, away, ...change }) => {
    const statuses = state.user_status ?? {};
    const status: Fields = { ...statuses[user_id], ...change };
    if (away === true) status['away'] = true;
    if (away === false) delete status['away'];
    const kept = Object.entries(status).filter(([, value]) => value !== '');
    if (kept.length === 0) delete statuses[user_id];
    else statuses[user_id] = Object.fromEntries(kept);
  },
  presence: (state, { presences, email, user_id, presence }) => {
    if (presences !== undefined) Object.assign(state.presences ?? {}, presences);
    else if (email === undefined) Object.assign(state.presences ?? {}, { [user_id]: presence });
    else {
      const { pushable, ...aggregated } = presence.website;
      Object.assign(state.presences ?? {}, { [email]: { ...presence, aggregated } });
    }
  },
  'user_settings update': (state, { property, value }) => {
    if (state.user_settings !== undefined) state.user_settings[property] = value;
    // No event tells of each draft: what the server had is gone with the setting.
    if (property === 'enable_drafts_synchronization' && value === false) state['drafts'] = [];
  },
  custom_profile_fields: (state, { fields }) => {
    state.custom_profile_fields = fields;
    const ids = new Set((fields as { id: number }[]).map(({ id }) => String(id)));
    for (const user of [...state.realm_users, ...state.realm_non_active_users]) {
      if (user['profile_data'] === undefined) continue;
      const kept = Object.entries(user['profile_data'] as Fields).filter(([id]) => ids.has(id));
      user['profile_data'] = Object.fromEntries(kept);
    }
  },
  update_display_settings: (state, { setting_name, setting }) => {
    Object.assign(state, { [setting_name]: setting });
  },
  update_global_notifications: (state, { notification_name, setting }) => {
    Object.assign(state, { [notification_name]: setting });
  },
};

/** In the older form presences are found by address. */
function renamePresence({ presences }: PeopleState, before: unknown, after: string) {
  const known = presences?.[String(before)];
  if (presences === undefined || known === undefined) return;
  delete presences[String(before)];
  presences[after] = known;
}

/** A client makes these of the role. */
const standingOf = (role: number) => ({
  is_owner: role === 100,
  is_admin: role <= 200,
  is_guest: role === 600,
});

/**
 * Moves a user between the lists. A deactivated user is in no group, and loses presence and status.
 */
function setActive(state: PeopleState & Fields, user: Fields & { user_id: number }, is: boolean) {
  const others = (list: typeof state.realm_users) => list.filter((one) => one !== user);
  state.realm_users = others(state.realm_users);
  state.realm_non_active_users = others(state.realm_non_active_users);
  (is ? state.realm_users : state.realm_non_active_users).push(user);
  if (is) return;
  const { user_id: id } = user;
  const knownAs = [String(id), String(user['email'])];
  for (const name of knownAs) delete state.presences?.[name];
  delete state.user_status?.[id];
  dropFromGroups(state, id);
}

function dropFromGroups(state: Fields, id: number) {
  const groups = state['realm_user_groups'] as (Fields & { members: number[] })[];
  for (const group of groups) group.members = group.members.filter((member) => member !== id);
  const lists = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'];
  const holders = [state, ...groups, ...lists.flatMap((name) => (state[name] ?? []) as Fields[])];
  for (const holder of holders) {
    for (const [name, value] of Object.entries(holder)) {
      const unnamed = value as { direct_members?: number[] } | null;
      if (!Array.isArray(unnamed?.direct_members)) continue;
      const direct_members = unnamed.direct_members.filter((member) => member !== id);
      holder[name] = { ...unnamed, direct_members };
    }
  }
}

function setField(
  user: Fields,
  { id, value, rendered_value }: { id: number; value: string | null; rendered_value?: string },
) {
  const { [id]: before, ...others } = (user['profile_data'] ?? {}) as Fields;
  const own = { value, ...(rendered_value === undefined ? {} : { rendered_value }) };
  user['profile_data'] = value === null ? others : { ...others, [id]: own };
}
