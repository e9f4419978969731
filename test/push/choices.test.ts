import { expect, test } from 'vitest';
import type { UserSettings } from '../../src/domain/wire/settings/user-settings.ts';
import { browserKeys, startPushService } from '../support/push/browser.ts';
import { startApns, startFcm, TOPIC } from '../support/push/phone-services.ts';
import { settled } from '../support/push/settle.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

/** mel, with a browser and two telephones that this server reaches itself. */
async function withAll() {
  const keys = browserKeys();
  const [web, apns, fcm] = [await startPushService(keys), await startApns(), await startFcm()];
  const env = { ...apns.env, ...fcm.env, CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1' };
  const server = await startServer({ channels: ['general'], env });
  const { mel } = server.people;
  const { p256dh, auth } = keys;
  await server.post(mel, '/users/me/web_push', { endpoint: `${web.origin}/s/1`, p256dh, auth });
  await server.post(mel, '/users/me/apns_device_token', { token: 'c0ffee', appid: TOPIC });
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  const seen = { web: 0, apns: 0, fcm: 0 };
  /** The notices of each kind since the last call, and the badge that the iOS device has now. */
  async function news() {
    expect(await settled(server)).toEqual([]);
    const all = {
      web: web.pushed.slice(seen.web).map(({ notice }) => notice),
      apns: apns.pushed.slice(seen.apns).map(({ payload }) => payload['notice'] as Notice),
      fcm: fcm.pushed.slice(seen.fcm).map(({ data }) => data as Notice),
    };
    Object.assign(seen, {
      web: web.pushed.length,
      apns: apns.pushed.length,
      fcm: fcm.pushed.length,
    });
    const badges = apns.pushed.map(({ payload }) => (payload['aps'] as { badge: number }).badge);
    expect([...web.faults, ...apns.faults, ...fcm.faults]).toEqual([]);
    return { ...all, badges };
  }
  return { server, mel, news };
}

type Notice = Readonly<Record<string, unknown>>;

const IN_GENERAL = { type: 'channel', to: 'general', topic: 'tea' };

const decisions = (server: TestServer, mel: Person) => ({
  set: (name: keyof UserSettings, value: boolean) =>
    server.patch(mel, '/settings', { [name]: value }),
  channel: (property: string, value: boolean | null) =>
    server.post(mel, '/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: 1, property, value }],
    }),
  topic: (visibility_policy: number) =>
    server.post(mel, '/user_topics', { stream_id: 1, topic: 'tea', visibility_policy }),
  mute: () => server.post(mel, `/users/me/muted_users/${server.people.max.id}`),
});

type Decide = ReturnType<typeof decisions>;

const MUTED = 1;
const UNMUTED = 2;
const FOLLOWED = 3;

/** The choices of mel, and the messages of max that are pushed. */
const CHOICES: readonly [string, (mel: Decide) => Promise<unknown>[], string][] = [
  ['nothing', () => [], 'direct mention everyone topic'],
  // A mention by name is told of in muted places as well.
  ['the topic muted', (mel) => [mel.topic(MUTED)], 'direct mention'],
  ['the topic followed', (mel) => [mel.topic(FOLLOWED)], 'direct mention everyone topic plain'],
  [
    'the topic followed, without pushes of followed ones',
    (mel) => [mel.topic(FOLLOWED), mel.set('enable_followed_topic_push_notifications', false)],
    'direct mention everyone topic',
  ],
  [
    'no pushes of direct messages and mentions',
    (mel) => [mel.set('enable_offline_push_notifications', false)],
    '',
  ],
  [
    'none of those, and the topic followed',
    (mel) => [mel.set('enable_offline_push_notifications', false), mel.topic(FOLLOWED)],
    'mention everyone topic plain',
  ],
  [
    'the whole channel',
    (mel) => [mel.channel('push_notifications', true)],
    'direct mention everyone topic plain',
  ],
  [
    'the whole channel, and the topic muted',
    (mel) => [mel.channel('push_notifications', true), mel.topic(MUTED)],
    'direct mention',
  ],
  [
    'the channel muted, and the topic unmuted',
    (mel) => [
      mel.channel('push_notifications', true),
      mel.channel('is_muted', true),
      mel.topic(UNMUTED),
    ],
    'direct mention everyone topic plain',
  ],
  [
    'all channels but this one',
    (mel) => [
      mel.set('enable_stream_push_notifications', true),
      mel.channel('push_notifications', false),
    ],
    'direct mention everyone topic',
  ],
  ['the sender muted', (mel) => [mel.mute()], ''],
];

/** Takes back whatever may have been decided. */
async function undo({ topic }: Decide, server: TestServer) {
  const { mel, max } = server.people;
  await server.patch(mel, '/settings', {
    enable_offline_push_notifications: true,
    enable_followed_topic_push_notifications: true,
    enable_stream_push_notifications: false,
  });
  await server.post(mel, '/users/me/subscriptions/properties', {
    subscription_data: [
      { stream_id: 1, property: 'push_notifications', value: null },
      { stream_id: 1, property: 'is_muted', value: false },
    ],
  });
  await topic(0);
  await server.delete(mel, `/users/me/muted_users/${max.id}`);
}

test('each kind of device gets what its owner has chosen, with the number of unread messages', async () => {
  const { server, mel, news } = await withAll();
  const { max } = server.people;
  const mine = decisions(server, mel);
  const sent = async (message: Notice) => (await server.post(max, '/messages', message)).body.id;
  // A mention would have mel follow the topic.
  await server.patch(mel, '/settings', { automatically_follow_topics_where_mentioned: false });
  // A message to the topic is for those who have sent to it.
  await server.post(mel, '/messages', { ...IN_GENERAL, content: 'first' });
  for (const [name, decide, expected] of CHOICES) {
    await undo(mine, server);
    await Promise.all(decide(mine));
    const words = new Map<unknown, string>([
      [await sent({ ...IN_GENERAL, content: 'soup' }), 'plain'],
      [await sent({ ...IN_GENERAL, content: '@**all** soup' }), 'everyone'],
      [await sent({ ...IN_GENERAL, content: '@**topic** soup' }), 'topic'],
      [await sent({ ...IN_GENERAL, content: '@**Mel Member** soup' }), 'mention'],
      [await sent({ type: 'direct', to: [mel.id], content: 'soup' }), 'direct'],
    ]);
    const { web, apns, fcm, badges } = await news();
    const told = (notices: readonly Notice[]) =>
      notices.map(({ message_id: id }) => words.get(Number(id)) ?? 'another').sort();
    const wanted = expected.split(' ').filter(Boolean);
    const all = { name, web: told(web), apns: told(apns), fcm: told(fcm) };
    const sorted = wanted.toSorted();
    expect(all).toEqual({ name, web: sorted, apns: sorted, fcm: sorted });
    if (wanted.length > 0) expect(badges.at(-1)).toBe(wanted.length);
    await server.post(mel, '/mark_all_as_read');
    const after = await news();
    expect(after.apns.map(({ type }) => type)).toEqual(wanted.length > 0 ? ['remove'] : []);
    if (wanted.length > 0) expect(after.badges.at(-1)).toBe(0);
  }
  expect(server.bugs).toEqual([]);
});

test('a message that is read before its push is not pushed, and the badge counts what is left', async () => {
  const { server, mel, news } = await withAll();
  const { max } = server.people;
  const content = '@**Mel Member** soup';
  const ids = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push((await server.post(max, '/messages', { ...IN_GENERAL, content })).body.id);
  }
  const read = (messages: readonly unknown[]) =>
    server.post(mel, '/messages/flags', { messages, op: 'add', flag: 'read' });
  await read(ids.slice(0, 1));
  const first = await news();
  expect(first.web.map(({ message_id: id }) => id).sort()).toEqual(ids.slice(1));
  expect(first.apns).toHaveLength(2);
  expect(first.fcm).toHaveLength(2);
  expect(first.badges).toEqual([2, 2]);
  await read(ids.slice(1, 2));
  expect((await news()).badges.at(-1)).toBe(1);
  await server.delete(server.people.ona, `/messages/${ids[2]}`);
  expect((await news()).badges.at(-1)).toBe(0);
});
