import fc from 'fast-check';
import { acts } from './acts.ts';
import {
  change,
  channelId,
  channelName,
  few,
  groupId,
  managers,
  maybe,
  setting,
  systemGroup,
  userId,
  who,
} from './administration.ts';

const channel = acts(
  'channel',
  {
    by: who,
    name: channelName,
    principals: maybe(fc.uniqueArray(userId, { minLength: 1, maxLength: 3 })),
    invite_only: maybe(fc.boolean()),
    is_web_public: maybe(fc.boolean()),
    folder_id: maybe(fc.constantFrom(1, 2)),
    is_default_stream: maybe(fc.boolean()),
    can_subscribe_group: maybe(setting),
    can_administer_channel_group: maybe(setting),
  },
  (server, { by, name, ...params }) =>
    server.post(server.people[by], '/users/me/subscriptions', {
      subscriptions: [{ name, description: 'About *it*' }],
      authorization_errors_fatal: false,
      ...params,
    }),
);

const leave = acts(
  'leave',
  { by: who, name: channelName, id: maybe(userId) },
  (server, { by, name, id }) =>
    server.delete(server.people[by], '/users/me/subscriptions', {
      subscriptions: [name],
      principals: id === undefined ? undefined : [id],
    }),
);

const changedChannel = acts(
  'changed channel',
  {
    by: managers,
    id: channelId,
    new_name: maybe(fc.constantFrom('one', 'Two', 'five', 'six')),
    description: maybe(fc.constantFrom('', 'For **all**')),
    is_private: maybe(fc.boolean()),
    is_web_public: maybe(fc.boolean()),
    history_public_to_subscribers: maybe(fc.boolean()),
    is_default_stream: maybe(fc.boolean()),
    folder_id: maybe(fc.constantFrom(null, 1, 2)),
    is_archived: maybe(fc.constant(false)),
    topics_policy: maybe(fc.constantFrom('inherit', 'allow_empty_topic')),
    can_administer_channel_group: change,
    can_subscribe_group: change,
    can_add_subscribers_group: change,
    can_send_message_group: change,
    can_remove_subscribers_group: change,
  },
  (server, { by, id, ...params }) => server.patch(server.people[by], `/streams/${id}`, params),
);

const archive = acts('archive', { by: managers, id: channelId }, (server, { by, id }) =>
  server.delete(server.people[by], `/streams/${id}`),
);

const defaultChannel = acts(
  'default channel',
  { by: managers, stream_id: channelId, isOver: fc.boolean() },
  (server, { by, stream_id, isOver }) =>
    server[isOver ? 'delete' : 'post'](server.people[by], '/default_streams', { stream_id }),
);

const folder = acts(
  'folder',
  {
    by: managers,
    id: maybe(fc.integer({ min: 1, max: 3 })),
    name: maybe(fc.constantFrom('Work', 'Fun')),
    is_archived: maybe(fc.boolean()),
  },
  (server, { by, id, ...params }) =>
    id === undefined
      ? server.post(server.people[by], '/channel_folders/create', { name: params.name ?? 'More' })
      : server.patch(server.people[by], `/channel_folders/${id}`, params),
);

const folders = acts('folders', { by: managers }, async (server, { by }) => {
  const { ona } = server.people;
  const known = await server.get(ona, '/channel_folders', { include_archived: true });
  // Somebody gave her another address.
  if (known.status === 401) return known;
  const order = known.body.channel_folders.map(({ id }: { id: number }) => id).reverse();
  return server.patch(server.people[by], '/channel_folders', { order });
});

const defaultGroup = acts(
  'default group',
  {
    by: managers,
    id: maybe(fc.integer({ min: 1, max: 2 })),
    op: fc.constantFrom('add', 'remove'),
    stream_names: fc.uniqueArray(channelName, { minLength: 1, maxLength: 2 }),
  },
  (server, { by, id, ...params }) =>
    id === undefined
      ? server.post(server.people[by], '/default_stream_groups/create', {
          group_name: params.stream_names.join(),
          stream_names: params.stream_names,
        })
      : server.patch(server.people[by], `/default_stream_groups/${id}/streams`, params),
);

const members = acts(
  'members',
  {
    by: managers,
    group: groupId,
    add: maybe(few(userId)),
    delete: maybe(few(userId)),
    add_subgroups: maybe(few(systemGroup)),
    delete_subgroups: maybe(few(systemGroup)),
  },
  (server, { by, group, ...params }) =>
    server.post(server.people[by], `/user_groups/${group}/members`, params),
);

const member = acts(
  'member',
  { group: groupId, user: userId, op: fc.constantFrom('add', 'delete') },
  (server, { group, user, op }) =>
    server.post(server.people.ona, `/user_groups/${group}/members`, { [op]: [user] }),
);

const group = acts(
  'group',
  {
    by: managers,
    group: groupId,
    name: maybe(fc.constantFrom('cooks', 'waiters', 'Cooks')),
    can_manage_group: change,
    can_mention_group: change,
    can_join_group: change,
    can_leave_group: change,
    deactivated: maybe(fc.constant(false)),
  },
  (server, { by, group: id, ...params }) =>
    server.patch(server.people[by], `/user_groups/${id}`, params),
);

const endedGroup = acts(
  'ended group',
  { by: managers, group: groupId },
  (server, { by, group: id }) => server.post(server.people[by], `/user_groups/${id}/deactivate`),
);

const say = acts('say', { by: who, to: channelName }, (server, { by, to }) =>
  server.post(server.people[by], '/messages', { type: 'channel', to, topic: 'tea', content: 'hi' }),
);

const tell = acts(
  'tell',
  { by: who, to: fc.uniqueArray(userId, { minLength: 1, maxLength: 2 }) },
  (server, { by, to }) =>
    server.post(server.people[by], '/messages', { type: 'direct', to, content: 'psst' }),
);

/** Acts on channels and groups, with their frequency. */
export const ACTS_ON_CHANNELS = [
  { weight: 4, arbitrary: channel },
  { weight: 3, arbitrary: leave },
  { weight: 6, arbitrary: changedChannel },
  { weight: 2, arbitrary: archive },
  { weight: 2, arbitrary: defaultChannel },
  { weight: 2, arbitrary: folder },
  { weight: 1, arbitrary: folders },
  { weight: 2, arbitrary: defaultGroup },
  { weight: 2, arbitrary: members },
  { weight: 3, arbitrary: member },
  { weight: 2, arbitrary: group },
  { weight: 1, arbitrary: endedGroup },
  { weight: 2, arbitrary: say },
  { weight: 2, arbitrary: tell },
];
