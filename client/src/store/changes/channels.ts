import type { Contents } from '../contents.ts';
import { type Changes, changed, NOTHING } from './change.ts';
import { added, removed } from './members.ts';

export const CHANNELS: Changes = {
  'stream create': (state, { streams }) => {
    for (const channel of streams) {
      if (state.channels.has(channel.stream_id)) {
        mismatch(state, `${channel.name} is created a second time`);
      }
      state.channels.set(channel.stream_id, channel);
      // Events of subscribers follow.
      if (state.keepsSubscribers) state.subscribers.set(channel.stream_id, []);
    }
    return ['channels'];
  },
  'stream delete': (state, { stream_ids }) => {
    for (const id of stream_ids) {
      if (!state.channels.delete(id)) mismatch(state, `channel ${id} is not known`);
      state.subscriptions.delete(id);
      state.formerSubscriptions.delete(id);
      state.subscribers.delete(id);
      state.unread.forgetChannel(id);
      state.topics.forgetChannel(id);
    }
    return ['channels', 'subscriptions', 'unread', 'topics'];
  },
  'stream update': (state, event) => {
    const { id, type, op, stream_id, name, property, value, ...more } = event;
    const channel = state.channels.get(stream_id);
    if (channel === undefined) {
      mismatch(state, `${name} is not known`);
      return NOTHING;
    }
    state.channels.set(stream_id, changed(channel, { [property]: value, ...more }));
    if (property !== 'is_archived' || value !== true) return ['channels'];
    // "What is in it counts as read" (docs/decisions/0041).
    return state.unread.forgetChannel(stream_id) ? ['channels', 'unread'] : ['channels'];
  },
  'subscription add': (state, { subscriptions }) => {
    for (const added of subscriptions) {
      const id = added.stream_id;
      if (!state.channels.has(id)) mismatch(state, `${added.name} is not known`);
      if (state.subscriptions.has(id)) mismatch(state, `${added.name} is subscribed to already`);
      state.subscriptions.set(id, state.takeChannel(added));
      state.formerSubscriptions.delete(id);
      // No events have told of its topics until now.
      state.topics.forgetChannel(id);
    }
    return ['subscriptions', 'channels', 'topics'];
  },
  'subscription remove': (state, { subscriptions }) => {
    for (const { stream_id: id } of subscriptions) {
      changePeers(state, id, [state.ownId], false);
      const settings = state.subscriptions.get(id);
      if (settings === undefined) mismatch(state, `channel ${id} is not subscribed to`);
      else state.formerSubscriptions.set(id, settings);
      state.subscriptions.delete(id);
      state.unread.forgetChannel(id);
    }
    return ['subscriptions', 'channels', 'unread', 'topics'];
  },
  'subscription update': (state, { stream_id: id, property, value }) => {
    const settings = state.subscriptions.get(id);
    if (settings === undefined) {
      state.mismatch('subscriptions', `channel ${id} is not subscribed to`);
      return NOTHING;
    }
    state.subscriptions.set(id, changed(settings, { [property]: value }));
    return property === 'is_muted' ? ['subscriptions', 'unread'] : ['subscriptions'];
  },
  'subscription peer_add': (state, { stream_ids, user_ids }) => {
    for (const id of stream_ids) changePeers(state, id, user_ids, true);
    return ['channels'];
  },
  'subscription peer_remove': (state, { stream_ids, user_ids }) => {
    for (const id of stream_ids) changePeers(state, id, user_ids, false);
    return ['channels'];
  },
  default_streams: (state, { default_streams }) => {
    state.facts.realm_default_streams = default_streams;
    return ['defaultChannels'];
  },
  default_stream_groups: (state, { default_stream_groups }) => {
    state.facts.realm_default_stream_groups = default_stream_groups;
    return ['defaultChannels'];
  },
  'channel_folder add': (state, { channel_folder }) => {
    state.folders.set(channel_folder.id, channel_folder);
    return ['folders'];
  },
  'channel_folder update': (state, { channel_folder_id: id, data }) => {
    changeFolder(state, id, data);
    return ['folders'];
  },
  'channel_folder reorder': (state, { order }) => {
    for (const [index, id] of order.entries()) changeFolder(state, id, { order: index });
    return ['folders'];
  },
};

const mismatch = (state: Contents, message: string) => {
  state.mismatch('streams', message);
  if (!state.fetched.has('streams')) state.mismatch('never_subscribed', message);
};

function changePeers(state: Contents, id: number, userIds: readonly number[], isAdded: boolean) {
  const channel = state.channels.get(id);
  if (channel === undefined) {
    mismatch(state, `peers of channel ${id}, which is not known`);
    return;
  }
  const count = channel.subscriber_count + (isAdded ? userIds.length : -userIds.length);
  state.channels.set(id, { ...channel, subscriber_count: count });
  const before = state.subscribers.get(id);
  if (before === undefined) return;
  const { members, wrong } = isAdded ? added(before, userIds) : removed(before, userIds);
  state.subscribers.set(id, members);
  for (const userId of wrong) {
    mismatch(state, `user ${userId} ${isAdded ? 'joins' : 'leaves'} ${channel.name} once more`);
  }
}

function changeFolder(state: Contents, id: number, change: object) {
  const folder = state.folders.get(id);
  if (folder === undefined) state.mismatch('channel_folders', `there is no channel folder ${id}`);
  else state.folders.set(id, changed(folder, change));
}
