import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  archiveChannel,
  changeOwn,
  createChannel,
  isNameTaken,
  listedChannels,
  subscribe,
  unsubscribe,
} from '../../../../web/app/store/channels/browse.ts';
import {
  moveTopic,
  setPolicy,
  toggleResolved,
} from '../../../../web/app/store/channels/topic-acts.ts';
import { openAccount, snapshot } from './snapshot.ts';

const state = () => new State(snapshot());
const namesOf = (...[filter, text]: [Parameters<typeof listedChannels>[1], string]) =>
  listedChannels(state(), filter, text).map(({ name }) => name);

test('channels are listed by name, without those in the archive', () => {
  expect(namesOf('all', '')).toEqual(['design', 'general', 'random']);
  expect(namesOf('subscribed', '')).toEqual(['general']);
  expect(namesOf('other', '')).toEqual(['design', 'random']);
});

test('a filter looks into names and descriptions, and names come first', () => {
  expect(namesOf('all', 'GENERAL')).toEqual(['general', 'design']);
  expect(namesOf('all', 'look things')).toEqual(['design']);
  expect(namesOf('all', 'nothing')).toEqual([]);
});

test('a name is taken whatever its case, but not by a channel in the archive', () => {
  expect(isNameTaken(state(), ' General ')).toBe(true);
  expect(isNameTaken(state(), 'attic')).toBe(false);
});

test('a new channel has its people and the account itself, and a private one is not announced', async () => {
  const requests = openAccount((_, path) => (path === '/get_stream_id' ? { stream_id: 12 } : {}));
  const id = await createChannel({
    name: ' plans ',
    description: '',
    isPrivate: true,
    userIds: [2, 4],
  });
  expect(id).toBe(12);
  expect(requests[0]).toEqual({
    method: 'POST',
    path: '/users/me/subscriptions',
    params: {
      subscriptions: [{ name: 'plans', description: '' }],
      principals: [4, 2],
      invite_only: true,
      history_public_to_subscribers: true,
      announce: false,
    },
  });
});

test('a channel that was made and cannot be found is there all the same', async () => {
  openAccount((method) => {
    if (method === 'GET') throw new Error('Invalid channel name');
    return {};
  });
  const wanted = { name: 'plans', description: '', isPrivate: false, userIds: [] };
  expect(await createChannel(wanted)).toBeNull();
});

test('joining, leaving, settings of one’s own and the archive are one request each', async () => {
  const requests = openAccount();
  await subscribe('random');
  await unsubscribe('general');
  await changeOwn(1, 'desktop_notifications', null);
  await archiveChannel(1);
  expect(requests.map(({ method, path, params }) => [method, path, params])).toEqual([
    ['POST', '/users/me/subscriptions', { subscriptions: [{ name: 'random' }] }],
    ['DELETE', '/users/me/subscriptions', { subscriptions: ['general'] }],
    [
      'POST',
      '/users/me/subscriptions/properties',
      { subscription_data: [{ stream_id: 1, property: 'desktop_notifications', value: null }] },
    ],
    ['DELETE', '/streams/{stream_id}', { stream_id: 1 }],
  ]);
});

const LUNCH = { kind: 'topic', channelId: 1, topic: 'lunch' } as const;

test('a topic moves as a whole, by its newest message', async () => {
  const requests = openAccount((method) => (method === 'GET' ? { messages: [{ id: 77 }] } : {}));
  const tells = { tellsOldTopic: false, tellsNewTopic: true };
  await moveTopic(LUNCH, { channelId: 1, topic: ' dinner ', ...tells });
  await moveTopic(LUNCH, { channelId: 3, topic: 'lunch', ...tells });
  expect(requests[1]?.params).toEqual({
    message_id: 77,
    topic: 'dinner',
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: true,
  });
  expect(requests[3]?.params).toMatchObject({ topic: 'lunch', stream_id: 3 });
});

test('resolving a topic renames it, and is taken back the same way', async () => {
  openAccount(() => ({ messages: [{ id: 77 }] }));
  expect(await toggleResolved(LUNCH)).toBe('✔ lunch');
  expect(await toggleResolved({ ...LUNCH, topic: '✔ lunch' })).toBe('lunch');
});

test('a topic without messages cannot be moved, which is said', async () => {
  const requests = openAccount(() => ({ messages: [] }));
  await expect(toggleResolved(LUNCH)).rejects.toThrow(/Nothing is in this topic/);
  expect(requests).toHaveLength(1);
});

test('a topic is followed, muted and neither by a number', async () => {
  const requests = openAccount();
  await setPolicy(LUNCH, 'followed');
  await setPolicy(LUNCH, 'none');
  expect(requests.map(({ params }) => params)).toEqual([
    { stream_id: 1, topic: 'lunch', visibility_policy: 3 },
    { stream_id: 1, topic: 'lunch', visibility_policy: 0 },
  ]);
});
