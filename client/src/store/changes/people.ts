import type { UserStatus } from '../../generated/api.ts';
import type { Contents } from '../contents.ts';
import type { Person } from '../objects.ts';
import type { Section } from '../sections.ts';
import { type Changes, changed, NOTHING } from './change.ts';
import { computeRights, dropFromGroups } from './groups.ts';

export const PEOPLE: Changes = {
  'realm_user add': (state, { person }) => {
    state.users.set(person.user_id, person);
    return ['users'];
  },
  'realm_user remove': (state, { person: { user_id: id } }) => {
    state.users.delete(id);
    return ['users', ...forgetTraces(state, id)];
  },
  'realm_user update': (state, { person }) => {
    const { user_id: id, ...change } = person;
    if ('has_second_step' in change) {
      if (id === state.ownId) state.facts.has_second_step = change.has_second_step;
      return ['own'];
    }
    const user = state.users.get(id);
    if (user === undefined) {
      state.mismatch('realm_users', `user ${id} changes, who is not known`);
      return NOTHING;
    }
    if ('is_active' in change) return setActive(state, user, change.is_active);
    if ('custom_profile_field' in change) {
      state.users.set(id, withField(user, change.custom_profile_field));
      return ['users'];
    }
    const fields = fieldsOf(change);
    state.users.set(id, changed(user, fields));
    if (id !== state.ownId) return ['users'];
    changeOwn(state, change, fields);
    return ['users', 'own'];
  },
  'realm_bot add': (state, { bot }) => {
    if (state.bots.has(bot.user_id)) {
      state.mismatch('realm_bots', `bot ${bot.user_id} is added a second time`);
    }
    state.bots.set(bot.user_id, bot);
    return ['bots'];
  },
  'realm_bot update': (state, { bot: change }) => {
    const bot = state.bots.get(change.user_id);
    if (bot === undefined) {
      state.mismatch('realm_bots', `bot ${change.user_id} changes, which is not known`);
      return NOTHING;
    }
    state.bots.set(bot.user_id, changed(bot, change));
    return ['bots'];
  },
  'realm_bot delete': (state, { bot: { user_id: id } }) => {
    if (!state.bots.delete(id)) state.mismatch('realm_bots', `bot ${id} is not known`);
    return ['bots'];
  },
  custom_profile_fields: (state, { fields }) => {
    state.facts.custom_profile_fields = fields;
    const ids = new Set(fields.map(({ id }) => String(id)));
    for (const user of state.users.values()) {
      const values = Object.entries(user.profile_data ?? {});
      const kept = values.filter(([id]) => ids.has(id));
      if (kept.length === values.length) continue;
      state.users.set(user.user_id, { ...user, profile_data: Object.fromEntries(kept) });
    }
    return ['profileFields', 'users'];
  },
  user_status: (state, { id, type, user_id, away, ...change }) => {
    const status: Record<string, unknown> = { ...state.statuses.get(user_id), ...change };
    if (away === true) status['away'] = true;
    if (away === false) delete status['away'];
    const kept = Object.entries(status).filter(([, value]) => value !== '');
    if (kept.length === 0) state.statuses.delete(user_id);
    // Without the empty ones these are the fields of a status.
    else state.statuses.set(user_id, Object.fromEntries(kept) as UserStatus);
    return ['statuses'];
  },
  presence: (state, { presences = {} }) => {
    for (const [id, presence] of Object.entries(presences)) {
      state.presence.set(Number(id), presence);
    }
    return ['presence'];
  },
};

type Change = Extract<
  Parameters<NonNullable<(typeof PEOPLE)['realm_user update']>>[1]['person'],
  object
>;

/** Returns what of a change is a field of the account. */
function fieldsOf(change: Partial<Record<string, unknown>>): Record<string, unknown> {
  const { new_email: email, avatar_url_medium, avatar_source, ...fields } = change;
  const { role } = change;
  return {
    ...fields,
    ...(email === undefined ? {} : { email }),
    ...(typeof role === 'number' ? standingOf(role) : {}),
  };
}

/** The register reply has some fields of the user's own account beside the list of users. */
function changeOwn(state: Contents, change: object, fields: Record<string, unknown>) {
  const { timezone, avatar_version, bot_owner_id, role, ...own } = fields;
  Object.assign(state.facts, own);
  if (typeof role === 'number') state.facts.is_moderator = role === 300;
  if ('avatar_url_medium' in change) {
    const { avatar_url_medium, avatar_source } = change as Change & Record<string, unknown>;
    Object.assign(state.facts, { avatar_url_medium, avatar_source });
  }
  if (role !== undefined) computeRights(state);
}

/** A client makes these of the role. */
const standingOf = (role: number) => ({
  is_owner: role === 100,
  is_admin: role <= 200,
  is_guest: role === 600,
});

/** A deactivated user is in no group, and loses presence and status. */
function setActive(state: Contents, user: Person, isActive: boolean): readonly Section[] {
  const { user_id: id } = user;
  state.users.set(id, { ...user, is_active: isActive });
  if (isActive) return ['users'];
  return ['users', ...forgetTraces(state, id), ...dropFromGroups(state, id)];
}

function forgetTraces(state: Contents, id: number): readonly Section[] {
  state.presence.delete(id);
  state.statuses.delete(id);
  return ['presence', 'statuses'];
}

function withField(
  user: Person,
  field: { id: number; value: string | null; rendered_value?: string },
): Person {
  const { id, value, ...rendered } = field;
  const { [id]: before, ...others } = user.profile_data ?? {};
  return {
    ...user,
    profile_data: value === null ? others : { ...others, [id]: { value, ...rendered } },
  };
}
