import {
  type Called,
  CHANNELS,
  channel,
  FLAG_RANGE_MAX,
  filledTopic,
  populate,
  type Stage,
  say,
} from './sized-realm.ts';

/** What people ask for besides sending. */
export const OPERATIONS = ['register', 'presence', 'topics', 'flags', 'edit', 'react'] as const;

export interface Operation {
  readonly name: (typeof OPERATIONS)[number];
  /** What the size counts. */
  readonly of: string;
  /** As many as its size; it is happy with one otherwise. */
  readonly needsUsers: boolean;
  readonly sizeMax: number;
  /** Sets up, and returns the request that is measured, the n-th of its kind. */
  readonly prepare: (stage: Stage, size: number) => Promise<(n: number) => Promise<Called>>;
}

/** In the order of their names above. */
export const OPERATION_LIST: readonly Operation[] = [
  {
    name: 'register',
    of: `users in ${CHANNELS} channels`,
    needsUsers: true,
    sizeMax: 10_000,
    prepare: async (stage) => {
      await populate(stage);
      return () =>
        stage.call({
          method: 'POST',
          path: '/register',
          params: { include_subscribers: 'true', apply_markdown: 'true', queue_lifespan_secs: '1' },
        });
    },
  },
  {
    name: 'presence',
    of: 'users present, nothing new',
    needsUsers: true,
    sizeMax: 10_000,
    prepare: async (stage) => {
      const params = { status: 'active', ping_only: 'true' };
      const parts = { method: 'POST', path: '/users/me/presence', params } as const;
      await stage.all(stage.users.map((as) => () => ({ parts, as })));
      const first = { status: 'active', last_update_id: '-1' };
      const { body } = await stage.call({ ...parts, params: first });
      let last = Number(body['presence_last_update_id']);
      return async () => {
        const called = await stage.call({
          ...parts,
          params: { status: 'active', last_update_id: String(last) },
        });
        last = Number(called.body['presence_last_update_id']);
        return called;
      };
    },
  },
  {
    name: 'topics',
    of: 'topics of the channel',
    needsUsers: false,
    sizeMax: 10_000,
    prepare: async (stage, size) => {
      const id = await channel(stage, 'topics');
      await say(stage, id, { count: size, topic: (index) => `topic ${index}` });
      return () => stage.call({ method: 'GET', path: `/users/me/${id}/topics` });
    },
  },
  {
    name: 'flags',
    of: 'messages read and unread again',
    needsUsers: false,
    sizeMax: FLAG_RANGE_MAX,
    prepare: async (stage, size) => {
      const { id } = await filledTopic(stage, { name: 'flags', size });
      const narrow = JSON.stringify([{ operator: 'channel', operand: id }]);
      return (n) =>
        stage.call({
          method: 'POST',
          path: '/messages/flags/narrow',
          params: {
            anchor: 'newest',
            num_before: String(Math.min(size, FLAG_RANGE_MAX)),
            num_after: '0',
            narrow,
            op: n % 2 === 0 ? 'add' : 'remove',
            flag: 'starred',
          },
        });
    },
  },
  {
    name: 'edit',
    of: 'messages of the topic, one edited',
    needsUsers: false,
    sizeMax: 10_000,
    prepare: async (stage, size) => {
      const { messages } = await filledTopic(stage, { name: 'edit', size });
      return (n) =>
        stage.call({
          method: 'PATCH',
          path: `/messages/${messages[n % messages.length]}`,
          params: { content: `edited ${n}` },
        });
    },
  },
  {
    name: 'react',
    of: 'messages of the topic, one reacted to',
    needsUsers: false,
    sizeMax: 10_000,
    prepare: async (stage, size) => {
      const { messages } = await filledTopic(stage, { name: 'react', size });
      return (n) =>
        stage.call({
          method: n % 2 === 0 ? 'POST' : 'DELETE',
          path: `/messages/${messages[Math.floor(n / 2) % messages.length]}/reactions`,
          params: { emoji_name: 'smile' },
        });
    },
  },
];
