import { expect, test } from 'vitest';
import { OUTBOX_LEASE_MS } from '../../src/domain/limits/outbox.ts';
import * as outbox from '../../src/operations/access/outbox.ts';
import * as missedMessages from '../../src/operations/notifications/missed-messages.ts';
import type { Params } from '../support/client.ts';
import { mailsAfter, withMailServer } from '../support/notifications/mail-server.ts';
import { PERIOD, SECOND, say, told, whisper } from '../support/notifications/missed-mails.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

/** The time after which a user counts as away (reference: offline threshold), and a little more. */
const AWAY = 201 * SECOND;

const beThere = (server: TestServer, as: Person) =>
  server.post(as, '/users/me/presence', { status: 'active', ping_only: true });

test('a user who was away gets a mail about a direct message when the waiting time is over', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  const id = await whisper(server, max, [mel], 'see #**general** **now** <3');
  expect(await mailsAfter(mailing, PERIOD - SECOND)).toEqual([]);
  const [mail, ...others] = await mailsAfter(mailing, SECOND);
  expect(others).toEqual([]);
  const url = `http://test.localhost/#narrow/dm/${[mel.id, max.id].sort().join()}/near/${id}`;
  expect(mail?.to).toBe(mel.email);
  expect(mail?.headers).toMatchObject({
    from: 'Max Member <noreply@test.localhost>',
    to: mel.email,
    subject: 'Direct messages from Max Member',
    'auto-submitted': 'auto-generated',
  });
  expect(mail?.text).toBe(
    [
      'Max Member (2026-01-05 09:00 UTC):',
      'see #general now <3',
      '',
      '-- ',
      `Read and answer at ${url}`,
      'You are mailed by test because you were written to directly.',
      'To be mailed otherwise, or not at all: http://test.localhost/#settings/notifications',
      `To end these mails: ${mail?.headers['list-unsubscribe']?.slice(1, -1)}`,
      '',
    ].join('\n'),
  );
  expect(mail?.html).toContain(
    '<p>see <a href="http://test.localhost/#narrow/channel/1-general">#general</a> <strong>now</strong> &lt;3</p>',
  );
  expect(mail?.html).toContain('<a href="http://test.localhost/#settings/notifications">');
  expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('messages within the waiting time are one mail for each conversation, and mail programs group them', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max, ada } = server.people;
  await whisper(server, max, [mel], 'one');
  expect(await mailsAfter(mailing, PERIOD / 2)).toEqual([]);
  await whisper(server, max, [mel], 'two');
  await whisper(server, ada, [mel, max], 'to both');
  await say(server, max, { content: '@**Mel Member** in the channel' });
  await say(server, ada, { topic: 'Tea', content: '@**Mel Member** too' });
  const mails = await mailsAfter(mailing, PERIOD / 2);
  expect(told(mails.filter(({ to }) => to === mel.email))).toEqual([
    'mel: #general > Tea',
    'mel: Direct messages from Max Member',
    'mel: Group direct messages among Ada Administrator, Mel Member, Max Member',
  ]);
  const direct = mails.find(({ headers }) => headers['subject']?.startsWith('Direct'));
  expect(direct?.text).toMatch(/one\n\nMax Member .*:\ntwo\n/);
  const channel = mails.find(({ headers }) => headers['subject']?.startsWith('#general'));
  expect(channel?.headers['from']).toBe('"Max Member, Ada Administrator" <noreply@test.localhost>');

  await whisper(server, max, [mel], 'three');
  const next = (await mailsAfter(mailing, PERIOD)).find(({ to }) => to === mel.email);
  expect(next?.headers['references']).toBe(direct?.headers['references']);
  expect(next?.headers['references']).not.toBe(channel?.headers['references']);
  expect(next?.headers['message-id']).not.toBe(direct?.headers['message-id']);
  expect(next?.text).not.toContain('two');
});

test.each<[string, (server: TestServer, id: number) => Promise<unknown>]>([
  [
    'read',
    ({ post, people }, id) =>
      post(people.mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' }),
  ],
  ['deleted', (server, id) => server.delete(server.people.ona, `/messages/${id}`)],
  [
    'hidden',
    (server) =>
      server.delete(server.people.mel, '/users/me/subscriptions', { subscriptions: ['general'] }),
  ],
  [
    'moved to a hidden channel',
    async (server, id) => {
      const { ona } = server.people;
      const { body } = await server.post(ona, '/channels/create', {
        name: 'secret',
        subscribers: [ona.id],
        invite_only: true,
      });
      const moved = await server.patch(ona, `/messages/${id}`, { stream_id: body.id });
      expect(moved.status).toBe(200);
    },
  ],
  [
    'not wanted any more',
    (server) =>
      server.patch(server.people.mel, '/settings', {
        enable_offline_email_notifications: false,
        // A user who is mentioned follows the topic from then on.
        enable_followed_topic_email_notifications: false,
      }),
  ],
  [
    'for an account that was deactivated',
    (server) => server.delete(server.people.ona, `/users/${server.people.mel.id}`),
  ],
])(
  'nobody gets a mail about a message that is %s before the waiting time is over',
  async (_, become) => {
    const mailing = await withMailServer();
    const { server } = mailing;
    const id = await say(server, server.people.max, { content: '@**Mel Member** hi' });
    await mailsAfter(mailing);
    expect(await server.perform((tx) => [...tx.missedMessages.keys({})])).toHaveLength(1);
    await become(server, id);
    expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
    expect(await server.perform((tx) => [...tx.missedMessages.keys({})])).toEqual([]);
  },
);

test('an active user gets no mail until they leave without reading', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max } = server.people;
  await whisper(server, max, [mel]);
  await server.leap(PERIOD - SECOND);
  await beThere(server, mel);
  expect(await mailsAfter(mailing, SECOND)).toEqual([]);
  await server.leap(100 * SECOND);
  await beThere(server, mel);
  expect(await mailsAfter(mailing, 100 * SECOND)).toEqual([]);
  expect(told(await mailsAfter(mailing, AWAY))).toEqual(['mel: Direct messages from Max Member']);
});

type Decide = (change: Params, path?: string) => Promise<unknown>;

/** The settings of mel, and whether an ordinary message and one for everyone give a mail. */
const CHOICES: readonly [string, (decide: Decide) => Promise<unknown>, string[]][] = [
  ['nothing', async () => undefined, ['everyone']],
  ['no mails of what is for her', (set) => set({ enable_offline_email_notifications: false }), []],
  [
    'mails of all channels',
    (set) => set({ enable_stream_email_notifications: true }),
    ['everyone', 'plain'],
  ],
  [
    'mails of this one',
    (set) => set({ email_notifications: true }, 'channel'),
    ['everyone', 'plain'],
  ],
  [
    'mails of all but this one',
    async (set) => {
      await set({ enable_stream_email_notifications: true });
      await set({ email_notifications: false }, 'channel');
    },
    ['everyone'],
  ],
  ['no wildcards', (set) => set({ wildcard_mentions_notify: false }), []],
  [
    'no wildcards of this channel',
    (set) => set({ wildcard_mentions_notify: false }, 'channel'),
    [],
  ],
  ['to mute the channel', (set) => set({ is_muted: true }, 'channel'), []],
  ['to mute the topic', (set) => set({ visibility_policy: 1 }, 'topic'), []],
  ['to follow the topic', (set) => set({ visibility_policy: 3 }, 'topic'), ['everyone', 'plain']],
  [
    'to follow the topic without mails',
    async (set) => {
      await set({ visibility_policy: 3 }, 'topic');
      await set({ enable_followed_topic_email_notifications: false });
    },
    ['everyone'],
  ],
  ['to mute who wrote', (set) => set({}, 'user'), []],
];

test.each(CHOICES)(
  'mails about channel messages follow the settings: %s',
  async (_, decide, expected) => {
    const mailing = await withMailServer();
    const { server } = mailing;
    const { mel, max } = server.people;
    await decide(async (change, path) => {
      const [[property, value] = ['', null]] = Object.entries(change);
      const reply = await (path === 'channel'
        ? server.post(mel, '/users/me/subscriptions/properties', {
            subscription_data: [{ stream_id: 1, property, value }],
          })
        : path === 'topic'
          ? server.post(mel, '/user_topics', { stream_id: 1, topic: 'tea', ...change })
          : path === 'user'
            ? server.post(mel, `/users/me/muted_users/${max.id}`, {})
            : server.patch(mel, '/settings', change));
      expect(reply.status).toBe(200);
    });
    await say(server, max, { content: 'plain' });
    await say(server, max, { content: '@**all** everyone' });
    const mails = (await mailsAfter(mailing, PERIOD)).filter(({ to }) => to === mel.email);
    const text = mails.map((mail) => mail.text).join();
    expect(['everyone', 'plain'].filter((word) => text.includes(word))).toEqual(expected);
    expect(mails.length).toBeLessThan(2);
  },
);

test.each<[string, (server: TestServer) => Promise<unknown>]>([
  [
    'they do not want it',
    (server) =>
      server.patch(server.people.mel, '/settings', {
        message_content_in_email_notifications: false,
      }),
  ],
  [
    'the organization forbids it',
    (server) => server.set('message_content_allowed_in_email_notifications', false),
  ],
])('a mail hides content, place and sender when %s', async (_, choose) => {
  const mailing = await withMailServer();
  const { server } = mailing;
  await choose(server);
  await say(server, server.people.max, { content: '@**Mel Member** secret' });
  const [mail] = await mailsAfter(mailing, PERIOD);
  expect(mail?.headers).toMatchObject({
    from: 'test <noreply@test.localhost>',
    subject: 'New messages',
  });
  const all = JSON.stringify(mail);
  for (const word of ['secret', 'Max', 'general', 'tea']) expect(all).not.toContain(word);
  expect(mail?.text).toContain('There are unread messages for you: http://test.localhost/');
});

test('the waiting time follows the settings, also when they change meanwhile', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { mel, max, ada } = server.people;
  const setting = 'email_notifications_batching_period_seconds';
  await server.patch(mel, '/settings', { [setting]: 1 });
  await server.patch(ada, '/settings', { [setting]: 3_600 });
  await whisper(server, max, [mel]);
  await whisper(server, max, [ada]);
  expect(told(await mailsAfter(mailing, SECOND))).toEqual(['mel: Direct messages from Max Member']);
  expect(await mailsAfter(mailing, 1_000 * SECOND)).toEqual([]);
  await server.patch(ada, '/settings', { [setting]: 2_000 });
  expect(await mailsAfter(mailing, 998 * SECOND)).toEqual([]);
  expect(await mailsAfter(mailing, SECOND)).toHaveLength(1);
  await whisper(server, max, [ada]);
  await mailsAfter(mailing, 100 * SECOND);
  await server.patch(ada, '/settings', { [setting]: 50 });
  expect(await mailsAfter(mailing)).toHaveLength(1);
});

test('a mail that was not accepted is sent again with the same id, about what is unread then', async () => {
  const mailing = await withMailServer((count) => count <= 2);
  const { server } = mailing;
  const { mel, max } = server.people;
  const first = await whisper(server, max, [mel], 'one');
  await whisper(server, max, [mel], 'two');
  expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
  await server.post(mel, '/messages/flags', { messages: [first], op: 'add', flag: 'read' });
  expect(await mailsAfter(mailing, 10 * SECOND)).toEqual([]);
  const [mail] = await mailsAfter(mailing, 60 * SECOND);
  expect(mail?.text).toContain('two');
  expect(mail?.text).not.toContain('one');
  expect(mail?.headers['message-id']).toMatch(/^<missed\.\d+@test\.localhost>$/);
});

test('mails that wait are sent once after a restart', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  await whisper(server, server.people.max, [server.people.mel]);
  await mailsAfter(mailing);
  await server.restart(PERIOD);
  expect(await mailsAfter(mailing)).toHaveLength(1);
  await server.restart(PERIOD);
  expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
});

test('a mail whose delivery was cut off is sent again with the same id', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  await whisper(server, server.people.max, [server.people.mel]);
  await mailsAfter(mailing);
  // This is the state after a kill: the entry is leased, and no worker delivers it.
  const entry = await server.perform((tx) => {
    const [time] = tx.missedMailTimes.keys({});
    if (time !== undefined) missedMessages.deliver(tx, time);
    const [key] = tx.outbox.keys({});
    return key && outbox.take(tx, key, 'a run');
  });
  await server.leap(OUTBOX_LEASE_MS - SECOND);
  expect(mailing.received).toEqual([]);
  const mails = await mailsAfter(mailing, SECOND);
  expect(mails.map(({ headers }) => headers['message-id'])).toEqual([
    `<missed.${entry?.id}@test.localhost>`,
  ]);
});

test('a mention that an edit adds gives a mail', async () => {
  const mailing = await withMailServer();
  const { server } = mailing;
  const { max } = server.people;
  const id = await say(server, max, { content: 'hi' });
  expect(await mailsAfter(mailing, PERIOD)).toEqual([]);
  await server.patch(max, `/messages/${id}`, { content: '@**Mel Member** hi' });
  expect(told(await mailsAfter(mailing, PERIOD))).toEqual(['mel: #general > tea']);
});

test('without a mail server nothing is noted', async () => {
  const server = await startServer({ channels: ['general'] });
  await whisper(server, server.people.max, [server.people.mel]);
  await server.advance(1);
  const noted = await server.perform((tx) => [
    ...tx.pushWork.keys({}),
    ...tx.missedMessages.keys({}),
  ]);
  expect(noted).toEqual([]);
});
