import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExact, follow } from '../../support/applying/exact-snapshots.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { NAMES } from '../../support/users.ts';

const mention = {
  type: 'channel',
  to: 'general',
  topic: 'tea',
  content: '@**Mel Member** @**all**',
};

test.each<{ what: string; do: (server: TestServer) => Promise<unknown> }>([
  {
    what: 'a default channel is made',
    do: ({ post, people }) =>
      post(people.ada, '/users/me/subscriptions', {
        subscriptions: [{ name: 'news' }],
        is_default_stream: true,
      }),
  },
  {
    what: 'a moderator makes a private channel of others, for which a third may add subscribers',
    do: ({ post, people }) =>
      post(people.mia, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        principals: [people.max.id, people.gus.id],
        can_add_subscribers_group: { direct_members: [people.mel.id], direct_subgroups: [] },
      }),
  },
  {
    what: 'the first message is sent to a private channel that moderators may join',
    async do({ post, people }) {
      await post(people.max, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        can_subscribe_group: systemGroupId('role:moderators'),
      });
      await post(people.max, '/messages', { ...mention, to: 'team' });
    },
  },
  {
    what: 'the maker of a private channel leaves it and joins again',
    async do({ post, delete: remove, people }) {
      const subscriptions = [{ name: 'team' }];
      const principals = [people.mel.id, people.max.id];
      const params = { subscriptions, principals, invite_only: true };
      await post(people.mel, '/users/me/subscriptions', params);
      await post(people.max, '/messages', { ...mention, to: 'team' });
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['team'] });
      await post(people.max, '/messages', { ...mention, to: 'team' });
      await post(people.max, '/users/me/subscriptions', params);
    },
  },
  {
    what: 'somebody leaves a channel with messages unread and joins again',
    async do({ post, delete: remove, people }) {
      await post(people.max, '/messages', mention);
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['general'] });
      await post(people.mel, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
    },
  },
  {
    what: 'somebody leaves a channel with messages of another one marked unread',
    async do({ post, delete: remove, people }) {
      await post(people.mel, '/users/me/subscriptions', { subscriptions: [{ name: 'other' }] });
      const { body } = await post(people.max, '/messages', mention);
      const change = { messages: [body.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...change, op: 'add' });
      await post(people.mel, '/messages/flags', { ...change, op: 'remove' });
      await post(people.max, '/messages', { ...mention, to: 'other' });
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['other'] });
    },
  },
  {
    what: 'a guest is named among those who administer a private channel',
    do: ({ post, people }) =>
      post(people.mia, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        can_administer_channel_group: { direct_members: [people.gus.id], direct_subgroups: [] },
      }),
  },
  {
    what: 'a guest leaves a channel and is added again',
    async do({ post, delete: remove, people }) {
      await post(people.max, '/messages', mention);
      await remove(people.gus, '/users/me/subscriptions', { subscriptions: ['general'] });
      await post(people.mel, '/users/me/subscriptions', {
        subscriptions: [{ name: 'general' }],
        principals: [people.gus.id],
      });
    },
  },
  {
    what: 'mentions are read and marked unread again',
    async do({ post, people }) {
      const { body } = await post(people.max, '/messages', mention);
      const change = { messages: [body.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...change, op: 'add' });
      await post(people.mel, '/messages/flags', { ...change, op: 'remove' });
      const { body: direct } = await post(people.max, '/messages', {
        type: 'direct',
        to: [people.mel.id, people.ada.id],
        content: '@**Mel Member**',
      });
      const direction = { messages: [direct.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...direction, op: 'add' });
      await post(people.mel, '/messages/flags', { ...direction, op: 'remove' });
    },
  },
  {
    what: 'accounts of every kind are made',
    async do({ app }) {
      for (const role of ['owner', 'administrator', 'moderator', 'member', 'guest']) {
        const person = { realm: 'test', email: `${role}@example.com`, name: 'New', role };
        await runCommand(app.realms, 'user create', person);
      }
      const bot = { realm: 'test', email: 'b@example.com', name: 'New Bot' };
      await runCommand(app.realms, 'bot create', { ...bot, owner: 'mel@example.com' });
    },
  },
])('4: a snapshot and its events give what a fresh register gives after $what', async (change) => {
  const server = await startServer({ channels: ['general'] });
  const followed = await Promise.all(NAMES.map((name) => follow(server, server.people[name])));
  await change.do(server);
  for (const each of followed) await expectExact(server, each);
  expect(server.bugs).toEqual([]);
});
