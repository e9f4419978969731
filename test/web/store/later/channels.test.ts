import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  archiveChannel,
  archivedChannels,
  bringBack,
  type ChannelOrder,
  changeOwn,
  channelCounts,
  createChannel,
  isNameTaken,
  listedChannels,
  mailAddress,
  mayHavePrivacy,
  type Privacy,
  permissionChange,
  privacyChange,
  privacyOf,
  removeSubscribers,
  subscribe,
  unsubscribe,
} from '../../../../web/app/store/channels/browse.ts';
import {
  deleteTopic,
  moveTopic,
  setPolicy,
  toggleResolved,
} from '../../../../web/app/store/channels/topic-acts.ts';
import { channelOf, channels } from '../../../../web/app/store/model.ts';
import { openAccount, snapshot } from './snapshot.ts';

const state = () => new State(snapshot());
const namesOf = (filter: 'all' | 'subscribed' | 'other', text: string, order?: ChannelOrder) =>
  listedChannels(state(), { filter, text, ...(order === undefined ? {} : { order }) }).map(
    ({ name }) => name,
  );

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

test('channels are put into the order that is asked for, and counted', () => {
  expect(namesOf('all', '', 'subscribers')).toEqual(['design', 'general', 'random']);
  expect(namesOf('all', '', 'traffic')).toEqual(['random', 'design', 'general']);
  expect(namesOf('all', '', 'newest')).toEqual(['random', 'design', 'general']);
  expect(channelCounts(state())).toEqual({ all: 3, subscribed: 1, other: 2, archived: 1 });
});

test('the archive is listed by words, and a channel is brought back from it', async () => {
  const requests = openAccount();
  const attic = { id: 7, name: 'attic', description: 'About attic', isPrivate: false };
  expect(archivedChannels(state(), '')).toEqual([attic]);
  expect(archivedChannels(state(), 'ABOUT tic')).toEqual([attic]);
  expect(archivedChannels(state(), 'general')).toEqual([]);
  await bringBack(7);
  expect(requests).toEqual([
    {
      method: 'PATCH',
      path: '/streams/{stream_id}',
      params: { stream_id: 7, is_archived: false },
    },
  ]);
});

test('a channel of the archive has a name, and is none of those where one is', () => {
  openAccount(undefined, {
    subscriptions: [
      { ...snapshot().subscriptions?.[0], stream_id: 7, name: 'attic', is_archived: true },
    ],
  });
  expect(channelOf(7)).toMatchObject({ name: 'attic', isArchived: true });
  expect([...channels.value.keys()]).toEqual([]);
});

test.each(['web-public', 'public', 'private', 'secret'] as const)(
  'a channel that is made %s is of that kind',
  (privacy) => {
    const { is_private, is_web_public, history_public_to_subscribers } = privacyChange(privacy);
    expect(
      privacyOf({
        invite_only: is_private === true,
        is_web_public: is_web_public === true,
        history_public_to_subscribers: history_public_to_subscribers === true,
      }),
    ).toBe(privacy);
  },
);

test('a kind of channel is offered to those who may make one', () => {
  const may = (facts: object, privacy: Privacy) =>
    mayHavePrivacy(new State(snapshot(facts)), privacy);
  expect(may({ can_create_public_streams: true }, 'public')).toBe(true);
  expect(may({ can_create_public_streams: true }, 'private')).toBe(false);
  expect(may({ can_create_private_streams: true }, 'secret')).toBe(true);
  expect(may({ can_create_private_streams: true }, 'web-public')).toBe(false);
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
    privacy: 'private',
    folderId: 3,
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
      folder_id: 3,
      announce: false,
    },
  });
});

test('a channel that was made and cannot be found is there all the same', async () => {
  openAccount((method) => {
    if (method === 'GET') throw new Error('Invalid channel name');
    return {};
  });
  const wanted = {
    name: 'plans',
    description: '',
    privacy: 'public',
    folderId: null,
    userIds: [],
  } as const;
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

test('a topic is deleted until the server says that nothing is left', async () => {
  let round = 0;
  const requests = openAccount(() => {
    round += 1;
    return { complete: round === 3 };
  });
  await deleteTopic({ ...LUNCH, topic: '' });
  expect(requests).toHaveLength(3);
  expect(requests[2]).toEqual({
    method: 'POST',
    path: '/streams/{stream_id}/delete_topic',
    params: { stream_id: 1, topic_name: '' },
  });
});

test('a topic that does not end is given up with words', async () => {
  const requests = openAccount(() => ({ complete: false }));
  await expect(deleteTopic(LUNCH)).rejects.toThrow(/Delete the topic once more/);
  expect(requests).toHaveLength(200);
});

test('people are taken out by name of the channel, and a right is changed from what it was', async () => {
  const requests = openAccount(() => ({ email: 'general.1@example.com' }));
  await removeSubscribers('general', [5, 8]);
  expect(requests[0]?.params).toEqual({ subscriptions: ['general'], principals: [5, 8] });
  expect(await mailAddress(1)).toBe('general.1@example.com');
  expect(permissionChange('can_send_message_group', 20, 30)).toEqual({
    can_send_message_group: { new: 30, old: 20 },
  });
});
