import { expect, test } from 'vitest';
import { mentionables, mentionOf, nameOf, namesOf } from '../../../client/src/store/names.ts';
import { SMALL_SNAPSHOT } from '../../support/applying/small-snapshot.ts';
import { openState } from '../../support/applying/state-of.ts';

const user = (user_id: number, full_name: string) => ({ user_id, full_name });
const group = (id: number, name: string, is_system_group = false) => ({
  ...{ id, name, is_system_group, deactivated: false },
  ...{ members: [], direct_subgroup_ids: [] },
});

const state = openState({
  ...SMALL_SNAPSHOT,
  user_id: 1,
  realm_users: [
    user(1, 'Ada Owner'),
    user(2, 'Zoé Ames'),
    user(3, 'Émile Zola'),
    user(4, 'Ada Owner'),
    user(5, 'Bea Adams'),
    user(6, 'Adam Quiet'),
  ],
  realm_non_active_users: [user(7, 'Adele Gone')],
  realm_user_groups: [group(20, 'admirals'), group(21, 'role:admins', true)],
  muted_users: [{ id: 6, timestamp: 1 }],
  streams: [{ stream_id: 1, name: 'general' }],
  never_subscribed: [{ stream_id: 1, name: 'general', subscribers: [5] }],
  recent_private_conversations: [{ user_ids: [2], max_message_id: 9 }],
});

const named = (letters: string, written = {}) =>
  mentionables(state, letters, written).map(({ text }) => text);

test('names of a conversation are those of the others, in their order', () => {
  expect(namesOf(state, [2, 1, 5])).toBe('Bea Adams, Zoé Ames');
  expect(namesOf(state, [1])).toBe('Ada Owner');
  expect(namesOf(state, [])).toBe('Ada Owner');
  expect(nameOf(state, 99)).toBe('Unknown user');
});

test('a mention has the id only where the name alone would not do', () => {
  const [ada, zoe] = [state.users.get(4), state.users.get(2)];
  expect(ada && mentionOf(state, ada)).toBe('@**Ada Owner|4**');
  expect(zoe && mentionOf(state, zoe)).toBe('@**Zoé Ames**');
});

test('people are found by the beginnings of their words, whatever the case and the accents', () => {
  expect(named('ZOE')).toEqual(['@**Zoé Ames**']);
  expect(named('zo')).toEqual(['@**Zoé Ames**', '@**Émile Zola**']);
  expect(named('émile z')).toEqual(['@**Émile Zola**']);
  expect(named('da')).toEqual([]);
});

test('first come people of the channel, then those one talks to, then others and groups', () => {
  expect(named('a', { channelId: 1 })).toEqual([
    '@**Bea Adams**',
    '@**Zoé Ames**',
    '@**Ada Owner|1**',
    '@**Ada Owner|4**',
    '@**all**',
    '@*admirals*',
  ]);
  expect(named('a', { channelId: 1, limit: 2 })).toHaveLength(2);
});

test('neither deactivated nor muted people, nor system groups are offered, nor wildcards in private', () => {
  expect(named('ad')).toEqual([
    '@**Ada Owner|1**',
    '@**Ada Owner|4**',
    '@**Bea Adams**',
    '@*admirals*',
  ]);
  expect(named('all')).toEqual([]);
});
