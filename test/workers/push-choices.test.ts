import { expect, test } from 'vitest';
import type { UserSettings } from '../../src/domain/wire/settings/user-settings.ts';
import { IN_GENERAL, messagesIn, send } from '../support/notifications/push-notices.ts';
import { settle, withDevice } from '../support/notifications/pushing.ts';
import type { TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

/**
 * The settings of mel, and whether an ordinary message, one for everyone and one for the topic give
 * a push.
 */
const CHOICES: readonly [string, (decide: Decide) => Promise<unknown>, string][] = [
  ['nothing', async () => undefined, 'everyone topic'],
  ['pushes of all channels', (mel) => mel.set('enable_stream_push_notifications', true), 'all'],
  [
    'pushes of all channels but this one',
    async (mel) => {
      await mel.set('enable_stream_push_notifications', true);
      await mel.property('push_notifications', false);
    },
    'everyone topic',
  ],
  ['pushes of this channel', (mel) => mel.property('push_notifications', true), 'all'],
  [
    'pushes of this channel, and takes that back',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.property('push_notifications', null);
      await mel.set('enable_stream_push_notifications', true);
      await mel.set('enable_stream_push_notifications', false);
    },
    'everyone topic',
  ],
  [
    'pushes of this channel, and mutes it',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.property('is_muted', true);
    },
    '',
  ],
  ['to follow the topic', (mel) => mel.topic(3), 'all'],
  [
    'pushes of this channel, and mutes the topic',
    async (mel) => {
      await mel.property('push_notifications', true);
      await mel.topic(1);
    },
    '',
  ],
  ['no wildcards', (mel) => mel.set('wildcard_mentions_notify', false), ''],
  ['no wildcards of this channel', (mel) => mel.property('wildcard_mentions_notify', false), ''],
  ['no pushes', (mel) => mel.set('enable_offline_push_notifications', false), ''],
  [
    'none while there, and is there',
    async (mel) => {
      await mel.set('enable_online_push_notifications', false);
      await mel.isThere();
    },
    '',
  ],
];

interface Decide {
  set(name: keyof UserSettings, value: boolean): Promise<unknown>;
  property(property: string, value: boolean | null): Promise<unknown>;
  topic(visibility_policy: number): Promise<unknown>;
  isThere(): Promise<unknown>;
}

const decisionsOf = (server: TestServer, as: Person): Decide => ({
  set: (name, value) => server.patch(as, '/settings', { [name]: value }),
  property: (property, value) =>
    server.post(as, '/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: 1, property, value }],
    }),
  topic: (visibility_policy) =>
    server.post(as, '/user_topics', { stream_id: 1, topic: 'tea', visibility_policy }),
  isThere: () => server.post(as, '/users/me/presence', { status: 'active' }),
});

test.each(CHOICES)(
  'pushes about channel messages follow the settings: %s',
  async (_, decide, expected) => {
    const { as: mel, ...pushing } = await withDevice();
    const { server } = pushing;
    const { ona } = server.people;
    // A user who has sent to a topic participates in it.
    await send(server, mel, { ...IN_GENERAL, content: 'first' });
    await server.post(mel, '/user_topics', { stream_id: 1, topic: 'tea', visibility_policy: 0 });
    await decide(decisionsOf(server, mel));
    const sent = new Map([
      [await send(server, ona, { ...IN_GENERAL, content: 'like any other' }), 'ordinary'],
      [await send(server, ona, { ...IN_GENERAL, content: '@**all** hear' }), 'everyone'],
      [await send(server, ona, { ...IN_GENERAL, content: '@**topic** hear' }), 'topic'],
    ]);
    const pushed = messagesIn(await settle(pushing)).map((id) => sent.get(id ?? 0));
    const wanted = expected === 'all' ? 'ordinary everyone topic' : expected;
    expect(pushed.sort()).toEqual(wanted.split(' ').filter(Boolean).sort());
    expect(server.bugs).toEqual([]);
  },
);

test('own messages, silent mentions and channels that the user left give no push', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  await send(server, max, { ...IN_GENERAL, content: '@_**Mel Member** silently' });
  await send(server, mel, { ...IN_GENERAL, content: '@**Mel Member** to myself' });
  await send(server, mel, { type: 'direct', to: [max.id], content: 'from me' });
  await server.post(mel, '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: 1, property: 'push_notifications', value: true }],
  });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  await send(server, max, { ...IN_GENERAL, content: '@**Mel Member** @**all** are you there?' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
});

test('messages of a muted user give no push', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  await server.post(mel, `/users/me/muted_users/${max.id}`);
  await send(server, max, { ...IN_GENERAL, content: '@**Mel Member** are you there?' });
  await send(server, max, { type: 'direct', to: [mel.id], content: 'and here?' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
});

test('an active user gets pushes as well, unless they turned that off', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const direct = { type: 'direct', to: [mel.id], content: 'here?' };
  await server.post(mel, '/users/me/presence', { status: 'active' });
  const first = await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([first]);
  await server.patch(mel, '/settings', { enable_online_push_notifications: false });
  await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([]);
  await server.post(mel, '/users/me/presence', { status: 'idle' });
  await server.advance(300_000);
  const later = await send(server, server.people.max, direct);
  expect(messagesIn(await settle(pushing))).toEqual([later]);
});
