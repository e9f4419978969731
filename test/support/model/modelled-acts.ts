import { topicKey } from '../../../src/domain/rules/messages/topic.ts';
import type { Caller } from '../../../src/operations/access/caller.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import type { Policy as TopicPolicy } from '../../../src/operations/indexes/user-topics.ts';
import { erase } from '../../../src/operations/messages/deletion.ts';
import * as messageEdits from '../../../src/operations/messages/edits.ts';
import * as moves from '../../../src/operations/messages/moves.ts';
import * as reactions from '../../../src/operations/messages/reactions.ts';
import * as updateEvents from '../../../src/operations/messages/update-events.ts';
import type * as conversations from '../../../src/operations/posting/conversations.ts';
import * as messages from '../../../src/operations/posting/messages.ts';
import * as flags from '../../../src/operations/reading/flags.ts';
import { markRead, markUnread } from '../../../src/operations/reading/unread.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { PUBLIC_CHANNEL } from '../new-channel.ts';
import { SITE } from '../site.ts';
import { ADA, type Model, type ModelMessage, mayRead, NAMES, PEOPLE, type Sets } from './model.ts';

export function actsOn(model: Model) {
  const of = (sets: Sets, userId: number) => sets.get(userId) ?? new Set<number>();
  const isSubscribed = (channelId: number, userId: number) =>
    model.subscribed.has(`${channelId}:${userId}`);

  function note(message: ModelMessage, readers: readonly number[], mentioned: readonly number[]) {
    model.messages.push(message);
    for (const userId of readers) {
      of(model.received, userId).add(message.id);
      of(model.along, userId).add(message.id);
      of(model.present, userId).add(message.id);
      of(model.unread, userId).add(message.id);
      if (mentioned.includes(userId)) of(model.mentioned, userId).add(message.id);
    }
  }

  function send(userId: number, destination: conversations.Destination, text: Text) {
    return (tx: RealmTransaction) => {
      const { content = 'hello', isRead = false } = text;
      const message = { destination, content, isReadBySender: isRead, repeatKeys: [] };
      const { id } = messages.send(tx, callerOf(tx, userId), message);
      const row = rowOf(tx, id);
      const readers = PEOPLE.filter((reader) =>
        'channel' in destination
          ? isSubscribed(destination.channel.id, reader)
          : reader === userId || destination.people.some((user) => user.id === reader),
      );
      const isForAll = content.includes('@*crew*');
      const mentioned = PEOPLE.filter(
        (_, index) => isForAll || content.includes(`@**${NAMES[index]} Doe**`),
      );
      const isChannel = 'channel' in destination;
      note(
        {
          id,
          senderId: userId,
          channelId: isChannel ? destination.channel.id : 0,
          topic: isChannel ? destination.topic : '',
          people: isChannel ? [] : readers,
          hasWildcard: row.hasChannelWildcard,
          content,
        },
        readers,
        mentioned,
      );
      if (isRead) of(model.unread, userId).delete(id);
      return id;
    };
  }

  return {
    say:
      (userId: number, channelId: number, topic: string, text: Text = {}) =>
      (tx: RealmTransaction) => {
        const channel = tx.channels.get([channelId]);
        if (channel === undefined) throw new Error(`no channel ${channelId}`);
        return send(userId, { channel, topic }, text)(tx);
      },
    tell:
      (userId: number, to: readonly number[], text: Text = {}) =>
      (tx: RealmTransaction) =>
        send(userId, { people: to.map((id) => userOf(tx, id)) }, text)(tx),
    /** By the owner's hand, so that nobody is refused. */
    join: (userId: number, channelId: number) => (tx: RealmTransaction) => {
      if (isSubscribed(channelId, userId)) return;
      putSubscribed(tx, userId, channelId);
      model.subscribed.add(`${channelId}:${userId}`);
    },
    leave: (userId: number, channelId: number) => (tx: RealmTransaction) => {
      const name = tx.channels.get([channelId])?.name ?? '';
      const principals = [userOf(tx, userId)];
      subscriptions.unsubscribe(tx, userOf(tx, ADA), { names: [name], principals, site: SITE });
      if (!model.subscribed.delete(`${channelId}:${userId}`)) return;
      for (const message of model.messages) {
        if (message.channelId === channelId) of(model.unread, userId).delete(message.id);
      }
    },
    /** By the owner's hand, to another channel and topic. */
    move: (id: number, channelId: number, topic: string) => (tx: RealmTransaction) => {
      const index = model.messages.findIndex((message) => message.id === id);
      const before = model.messages[index];
      if (before === undefined || before.channelId === 0 || before.channelId === channelId) return;
      moveAway(tx, { id, channelId, topic });
      const after = { ...before, channelId, topic };
      model.messages[index] = after;
      for (const userId of PEOPLE) {
        const couldRead = mayRead(model, userId, before);
        if (isSubscribed(channelId, userId)) of(model.present, userId).add(id);
        else {
          for (const sets of [model.present, model.along, model.unread])
            of(sets, userId).delete(id);
        }
        if (!couldRead || mayRead(model, userId, after)) continue;
        for (const sets of [model.starred, model.mentioned]) of(sets, userId).delete(id);
      }
    },
    read: (userId: number, ids: readonly number[]) => (tx: RealmTransaction) => {
      const changed = markRead(tx, userId, rowsOf(tx, ids));
      for (const id of ids) of(model.unread, userId).delete(id);
      return changed;
    },
    unread: (userId: number, ids: readonly number[]) => (tx: RealmTransaction) => {
      const changed = markUnread(tx, userId, rowsOf(tx, ids));
      for (const id of ids) {
        if (of(model.along, userId).has(id)) of(model.unread, userId).add(id);
      }
      return changed;
    },
    /** A subscription of the user's, if there is one. */
    mute: (userId: number, channelId: number, isMuted: boolean) => (tx: RealmTransaction) => {
      const row = tx.subscriptions.get([channelId, userId]);
      if (row === undefined) return;
      tx.subscriptions.put([channelId, userId], { ...row, isMuted });
      if (isMuted) model.muted.add(`${channelId}:${userId}`);
      else model.muted.delete(`${channelId}:${userId}`);
    },
    decide: (userId: number, { channelId, topic, policy }: Decision) =>
      function decideOnTopic(tx: RealmTransaction) {
        const key = topicKey(topic);
        if (policy === 0) tx.userTopics.remove([userId, channelId, key]);
        else tx.userTopics.put([userId, channelId, key], { topic, policy, updatedAt: 0 });
        model.policies.set(`${userId}:${channelId}:${key}`, policy);
      },
    /** A reaction, or none: whose it is, and what follows from it, the model does not know. */
    react:
      (id: number, isThere = true) =>
      (tx: RealmTransaction) => {
        reactions.mark(tx, rowOf(tx, id), isThere);
        if (isThere) model.reacted.add(id);
        else model.reacted.delete(id);
      },
    /** Another content that mentions nobody, of a message that mentions nobody. */
    reword: (id: number, content: string) => (tx: RealmTransaction) => {
      const index = model.messages.findIndex((message) => message.id === id);
      const before = model.messages[index];
      if (before === undefined || before.content.includes('@')) return;
      const caller = callerOf(tx, before.senderId);
      const row = rowOf(tx, id);
      const accepted = messageEdits.acceptable(tx, caller, { row, text: content });
      messageEdits.writeContent(tx, caller, { row, ...accepted });
      model.messages[index] = { ...before, content };
    },
    remove: (id: number) => (tx: RealmTransaction) => {
      erase(tx, [rowOf(tx, id)]);
      const index = model.messages.findIndex((message) => message.id === id);
      model.messages.splice(index, 1);
    },
    star: (userId: number, id: number, op: 'add' | 'remove' = 'add') =>
      function starOne(tx: RealmTransaction) {
        const change = { messageIds: [id], op, flag: 'starred' };
        const reply = flags.updateFlags(tx, callerOf(tx, userId), change);
        if (op === 'add') of(model.starred, userId).add(id);
        else of(model.starred, userId).delete(id);
        return reply;
      },
  };
}

interface Decision {
  readonly channelId: number;
  readonly topic: string;
  readonly policy: TopicPolicy;
}

interface Text {
  readonly content?: string;
  readonly isRead?: boolean;
}

function moveAway(tx: RealmTransaction, to: { id: number; channelId: number; topic: string }) {
  const row = rowOf(tx, to.id);
  const move: moves.Move = {
    targetId: row.id,
    mode: 'change_one',
    from: { channelId: row.channelId ?? 0, topic: row.topic },
    to,
    resolution: null,
    isMerge: true,
    ids: [row.id],
  };
  const ada = userOf(tx, ADA);
  const before = [row];
  const write = () => moves.write(tx, ada, { move, before });
  const { after, seen } = updateEvents.whileSeen(tx, before, write);
  const told = { move, before, after, seen, isWhole: false, changed: {} };
  updateEvents.announceMove(tx, ada, told);
}

/** The owner subscribes herself first if only subscribers of a private channel may add others. */
function putSubscribed(tx: RealmTransaction, userId: number, channelId: number) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) throw new Error(`no channel ${channelId}`);
  const ada = userOf(tx, ADA);
  const permitted = { direct_members: [ADA], direct_subgroups: [] };
  const groups = { ...channel.groups, can_add_subscribers_group: permitted };
  tx.channels.put([channelId], { ...channel, groups });
  subscriptions.subscribe(tx, ada, {
    channels: [{ name: channel.name, description: '' }],
    principals: [userOf(tx, userId)],
    site: SITE,
    areRefusalsFatal: true,
    creation: PUBLIC_CHANNEL,
  });
  const changed = tx.channels.get([channelId]) ?? channel;
  tx.channels.put([channelId], { ...changed, groups: channel.groups });
}

type Reads = Pick<RealmTransaction, 'users' | 'messages'>;

export function userOf(
  tx: { readonly users: { get(key: [number]): UserRow | undefined } },
  id: number,
) {
  const user = tx.users.get([id]);
  if (user === undefined) throw new Error(`no user ${id}`);
  return user;
}

export const callerOf = (
  tx: { readonly users: { get(key: [number]): UserRow | undefined } },
  id: number,
): Caller => ({ user: userOf(tx, id), site: SITE, client: 'test' });

function rowOf(tx: Reads, id: number): MessageRow {
  const row = tx.messages.get([id]);
  if (row === undefined) throw new Error(`no message ${id}`);
  return row;
}

const rowsOf = (tx: Reads, ids: readonly number[]) => ids.map((id) => rowOf(tx, id));
