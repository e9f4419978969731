import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { GRAVATAR_URL } from '../../src/domain/gravatar.ts';
import { Role } from '../../src/domain/roles.ts';
import { topicKey } from '../../src/domain/topic.ts';
import type { Caller, Place } from '../../src/operations/caller.ts';
import * as flags from '../../src/operations/flags.ts';
import { erase } from '../../src/operations/message-deletion.ts';
import * as messageEdits from '../../src/operations/message-edits.ts';
import * as moves from '../../src/operations/message-moves.ts';
import * as messages from '../../src/operations/messages.ts';
import * as reactions from '../../src/operations/reactions.ts';
import * as subscriptions from '../../src/operations/subscriptions.ts';
import { markRead, markUnread } from '../../src/operations/unread.ts';
import * as updateEvents from '../../src/operations/update-events.ts';
import * as userGroups from '../../src/operations/user-groups.ts';
import type { Policy as TopicPolicy } from '../../src/operations/user-topics.ts';
import * as users from '../../src/operations/users.ts';
import { openRealmStore, type RealmTransaction } from '../../storage/realm-store.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { PUBLIC_CHANNEL } from './new-channel.ts';
import { makeScratch } from './scratch.ts';

export const PLACE: Place = {
  url: 'https://chat.example.com',
  currentUrl: 'https://chat.example.com',
  host: 'chat.example.com',
  aliasPrefix: '',
  limitsPresence: false,
  hasPushService: false,
  hasMailService: false,
  serverStartedAt: 0,
  isWebPublic: true,
  showsPreviews: true,
  gravatarUrl: GRAVATAR_URL,
  invitationMinutes: 14_400,
  maxUploadMib: 100,
};

/** Ids follow from the order of creation. */
export const ADA = 1;
export const MEL = 2;
export const IVY = 3;
export const GUS = 4;
export const PEOPLE = [ADA, MEL, IVY, GUS] as const;
const NAMES = ['Ada', 'Mel', 'Ivy', 'Gus'];

export const GENERAL = 1;
export const RANDOM = 2;
/** Private, with shared history. */
export const TEAM = 3;
/** Private, with protected history. */
export const BOARD = 4;

export interface ModelMessage {
  readonly id: number;
  readonly senderId: number;
  /** 0 for a direct message. */
  readonly channelId: number;
  readonly topic: string;
  readonly people: readonly number[];
  readonly hasWildcard: boolean;
  readonly content: string;
}

/** What a realm should hold, kept in the simplest way: sets of message ids by user. */
export interface Model {
  readonly messages: ModelMessage[];
  /** `channel:user`. */
  readonly subscribed: Set<string>;
  readonly received: Sets;
  /** Received, and then in every channel that it was moved to. */
  readonly along: Sets;
  /** Came to the channel where they are while the user was there. */
  readonly present: Sets;
  readonly unread: Sets;
  readonly starred: Sets;
  readonly mentioned: Sets;
  /** `channel:user`. */
  readonly muted: Set<string>;
  /** Of `user:channel:topicKey`. */
  readonly policies: Map<string, TopicPolicy>;
  readonly reacted: Set<number>;
}

type Sets = ReadonlyMap<number, Set<number>>;

/** Changes the store and the model alike. A refusal changes neither. */
export type Step = (tx: RealmTransaction) => void;
export type ModelledRealm = Awaited<ReturnType<typeof openModelledRealm>>;

/** A realm of four people and four channels in a store of its own; Ada is the owner, Gus a guest. */
export async function openModelledRealm({ extraChannels = 0 } = {}) {
  const directory = makeScratch();
  let store = openRealmStore(directory);
  const close = async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  };
  const model = emptyModel();
  let now = 1_700_000_000_000;

  async function run<Reply>(operation: (tx: RealmTransaction) => Reply): Promise<Reply> {
    now += 1000;
    const [outcome] = await store.commit(
      () => [operation],
      () => now,
    );
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.reply as Reply; // of the only operation
  }
  /** In one commit; those that are refused are left out. */
  async function steps(list: readonly Step[]) {
    now += 1000;
    const outcomes = await store.commit(
      () => list,
      () => now,
    );
    for (const outcome of outcomes) {
      if ('error' in outcome && !(outcome.error instanceof Error && 'code' in outcome.error)) {
        throw outcome.error;
      }
    }
  }

  await run((tx) => populate(tx, extraChannels));
  const acts = actsOn(model);
  await steps([
    ...Array.from({ length: extraChannels }, (_, index) => acts.join(ADA, BOARD + 1 + index)),
  ]);
  const caller = (userId: number): Caller => callerOf(store.reader, userId);
  return {
    get store() {
      return store;
    },
    get reader() {
      return store.reader;
    },
    /** The store is closed, and opened again. */
    async restart() {
      await store.close();
      store = openRealmStore(directory);
    },
    close,
    model,
    run,
    steps,
    caller,
    ...acts,
  };
}

export async function modelledRealm(options?: { extraChannels?: number }) {
  const realm = await openModelledRealm(options);
  onTestFinished(realm.close);
  return realm;
}

function emptyModel(): Model {
  const sets = () => new Map(PEOPLE.map((id) => [id, new Set<number>()]));
  return {
    messages: [],
    subscribed: new Set(),
    received: sets(),
    along: sets(),
    present: sets(),
    unread: sets(),
    starred: sets(),
    mentioned: sets(),
    muted: new Set(),
    policies: new Map(),
    reacted: new Set(),
  };
}

/** The model knows of no topics that are followed by themselves. */
const FOLLOWS_NOTHING = {
  automatically_follow_topics_policy: 4,
  automatically_follow_topics_where_mentioned: false,
  automatically_unmute_topics_in_muted_streams_policy: 4,
};

function populate(tx: RealmTransaction, extraChannels: number) {
  tx.realm.put(['realm'], {
    id: 1,
    stringId: 'demo',
    name: 'Demo',
    description: '',
    dateCreated: 0,
    isActive: true,
    settings: {},
    userDefaults: {},
    deletableAt: null,
    formerStringIds: [],
    firstStringId: null,
    newsVersion: '0.1.0',
    formerIds: [],
  });
  tx.secrets.put(['external content'], { value: 'of a modelled realm' });
  const roles = [Role.owner, Role.member, Role.member, Role.guest] as const;
  for (const [index, role] of roles.entries()) {
    const name = NAMES[index] ?? '';
    const user = { email: `${name}@example.com`, fullName: `${name} Doe`, role };
    const row = users.create(tx, user, PLACE);
    tx.users.put([row.id], { ...row, settings: FOLLOWS_NOTHING });
  }
  const ada = userOf(tx, ADA);
  const add = (name: string, isPrivate: boolean, hasSharedHistory: boolean) => {
    subscriptions.subscribe(tx, ada, {
      channels: [{ name, description: '' }],
      principals: [ada],
      place: PLACE,
      areRefusalsFatal: true,
      creation: { ...PUBLIC_CHANNEL, isPrivate, hasSharedHistory },
    });
    subscriptions.unsubscribe(tx, ada, { names: [name], principals: [ada], place: PLACE });
  };
  const crew = {
    name: 'crew',
    description: '',
    memberIds: PEOPLE,
    subgroupIds: [],
    permissions: {},
  };
  userGroups.create(tx, { user: ada, place: PLACE, client: 'test' }, crew);
  add('general', false, true);
  add('random', false, true);
  add('team', true, true);
  add('board', true, false);
  for (let index = 1; index <= extraChannels; index++) add(`extra ${index}`, false, true);
}

function actsOn(model: Model) {
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

  function send(userId: number, destination: messages.Destination, text: Text) {
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
      subscriptions.unsubscribe(tx, userOf(tx, ADA), { names: [name], principals, place: PLACE });
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

/** The owner subscribes herself first where only subscribers of a private channel may add others. */
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
    place: PLACE,
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

const callerOf = (
  tx: { readonly users: { get(key: [number]): UserRow | undefined } },
  id: number,
): Caller => ({ user: userOf(tx, id), place: PLACE, client: 'test' });

function rowOf(tx: Reads, id: number): MessageRow {
  const row = tx.messages.get([id]);
  if (row === undefined) throw new Error(`no message ${id}`);
  return row;
}

const rowsOf = (tx: Reads, ids: readonly number[]) => ids.map((id) => rowOf(tx, id));

export const isSubscribedIn = (model: Model, channelId: number, userId: number) =>
  model.subscribed.has(`${channelId}:${userId}`);

/** Who may read what: the rules in the words of the reference, over the model. */
export function mayRead(model: Model, userId: number, message: ModelMessage): boolean {
  if (message.channelId === 0) return message.people.includes(userId);
  const isMember = isSubscribedIn(model, message.channelId, userId);
  if (message.channelId === BOARD) {
    return isMember && model.present.get(userId)?.has(message.id) === true;
  }
  return isMember || (message.channelId !== TEAM && userId !== GUS);
}

export const sameTopic = (one: string, other: string) => topicKey(one) === topicKey(other);

/** Muted by its topic, or by its channel where the topic is neither unmuted nor followed. */
export function isMutedFor(model: Model, userId: number, message: ModelMessage): boolean {
  const { channelId } = message;
  const policy = policyOf(model, userId, message);
  if (policy === 1) return true;
  return policy === 0 && channelId !== 0 && model.muted.has(`${channelId}:${userId}`);
}

export const policyOf = (model: Model, userId: number, { channelId, topic }: ModelMessage) =>
  model.policies.get(`${userId}:${channelId}:${topicKey(topic)}`) ?? 0;
