import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';
import { importOnce, inChannel, messagesIn, written } from './imported.ts';

const AT = 1_704_189_600;
const ms = (seconds: number) => (AT + seconds) * 1000;

/** Returns the texts of the messages of a channel that mel has not read, by their flags. */
async function unreadIn(server: TestServer, channel: string) {
  const shown = await inChannel(server, server.people.mel, channel);
  return shown.filter(({ flags }) => !flags.includes('read')).map(({ content }) => content);
}

/** Returns how many messages of channels mel has not read, as clients count them. */
async function countOfUnread(server: TestServer) {
  const { state } = await server.register(server.people.mel);
  const { streams } = state.unread_msgs as { streams: { unread_message_ids: number[] }[] };
  return streams.reduce((sum, { unread_message_ids: ids }) => sum + ids.length, 0);
}

/** Returns the texts of the direct messages that somebody has not read, as clients count them. */
async function unreadDirect(server: TestServer, as: Person) {
  const { state } = await server.register(as);
  const { pms } = state.unread_msgs as { pms: { unread_message_ids: number[] }[] };
  const ids = pms.flatMap(({ unread_message_ids: unread }) => unread);
  const shown = await messagesIn(server, as, [{ operator: 'is', operand: 'dm' }]);
  return shown.filter(({ id }) => ids.includes(id)).map(({ content }) => content);
}

/** Reads all, as a client does, and returns how many are unread then. */
async function readAll(server: TestServer) {
  const { mel } = server.people;
  const { status } = await server.post(mel, '/messages/flags/narrow', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 100,
    narrow: [{ operator: 'is', operand: 'unread' }],
    op: 'add',
    flag: 'read',
  });
  expect(status).toBe(200);
  return await countOfUnread(server);
}

test('mattermost: a channel is unread from where somebody has stopped to look', async () => {
  const server = await startServer();
  const user = (username: string, fields: object, channel: object) => ({
    type: 'user',
    user: {
      username,
      teams: [{ name: 'core', channels: [{ name: 'town', ...channel }] }],
      ...fields,
    },
  });
  const post = (seconds: number, message: string, fields: object = {}) => ({
    type: 'post',
    post: {
      team: 'core',
      channel: 'town',
      user: 'bob',
      message,
      create_at: ms(seconds),
      ...fields,
    },
  });
  const direct = (channel_members: readonly string[], fields: object, seconds: number) => ({
    type: 'direct_post',
    direct_post: { channel_members, create_at: ms(seconds), ...fields },
  });
  const rows = [
    { type: 'version', version: 1 },
    { type: 'team', team: { name: 'core', display_name: 'Core', type: 'O' } },
    { type: 'channel', channel: { team: 'core', name: 'town', display_name: 'Town', type: 'O' } },
    user('mel', { email: 'mel@example.com' }, { last_viewed_at: ms(20) }),
    user('ada', { email: 'ada@example.com' }, {}),
    user('bob', { email: 'bob@example.com' }, { last_viewed_at: ms(40) }),
    post(10, 'first'),
    post(20, 'second'),
    post(30, 'third for @mel'),
    post(35, 'my own', { user: 'mel' }),
    post(40, 'fourth', { flagged_by: ['mel'] }),
    {
      type: 'direct_channel',
      direct_channel: {
        members: ['bob', 'mel'],
        participants: [
          { username: 'mel', last_viewed_at: ms(55) },
          { username: 'bob', last_viewed_at: ms(20) },
        ],
      },
    },
    ...[
      ['bob', 50, 'seen'],
      ['mel', 52, 'my own'],
      ['bob', 60, 'not seen'],
    ].map(([user, at, message]) => direct(['mel', 'bob'], { user, message }, Number(at))),
    direct(['ada', 'bob'], { user: 'bob', message: 'of no known time' }, 70),
  ];
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  await importOnce(server, 'mattermost', await written({ 'import.jsonl': lines }, 'mattermost'));
  const { mel, ada } = server.people;
  expect(await unreadIn(server, 'Town')).toEqual([`third for @**Mel Member|${mel.id}**`, 'fourth']);
  expect(await countOfUnread(server)).toBe(2);
  const ofAda = await inChannel(server, ada, 'Town');
  expect(ofAda.every(({ flags }) => flags.includes('read'))).toBe(true);
  expect(await unreadDirect(server, mel)).toEqual(['not seen']);
  expect(await unreadDirect(server, ada)).toEqual([]);
  expect(await readAll(server)).toBe(0);
  expect(server.bugs).toEqual([]);
});

test('rocketchat: rooms are read until they were last seen', async () => {
  const server = await startServer();
  const bson = (rows: readonly object[]) => Buffer.concat(rows.map((row) => serialize(row)));
  const at = (seconds: number) => new Date(ms(seconds));
  const seen = (rid: string, ls: Date | undefined, fields: object = {}) => ({
    rid,
    u: { _id: 'u1' },
    ...(ls === undefined ? {} : { ls }),
    ...fields,
  });
  const message = (id: string, rid: string, seconds: number) => ({
    _id: id,
    rid,
    msg: `text ${id}`,
    ts: at(seconds),
    u: { _id: 'u2', username: 'bob' },
  });
  const path = await written(
    {
      'users.bson': bson([
        { _id: 'u1', username: 'mel', name: 'Mel', emails: [{ address: 'mel@example.com' }] },
        { _id: 'u2', username: 'bob', name: 'Bob Beam', active: true },
      ]),
      'rocketchat_room.bson': bson([
        { _id: 'r1', t: 'c', name: 'seen', ts: at(0) },
        { _id: 'r2', t: 'p', name: 'half', ts: at(0) },
        { _id: 'r3', t: 'c', name: 'never', ts: at(0) },
        { _id: 'r4', t: 'c', name: 'quiet', ts: at(0) },
        { _id: 'r5', t: 'c', name: 'joined', ts: at(0) },
        { _id: 'd1', t: 'd', uids: ['u1', 'u2'] },
      ]),
      'rocketchat_subscription.bson': bson([
        seen('r1', at(90)),
        seen('r2', at(15)),
        seen('r3', at(1)),
        seen('r4', at(1), { alert: false, unread: 0 }),
        seen('r5', undefined, { alert: true, ts: at(60) }),
        seen('d1', at(75), { t: 'd', alert: true, unread: 1 }),
      ]),
      'rocketchat_message.bson': bson([
        message('m1', 'r1', 10),
        message('m2', 'r2', 12),
        message('m3', 'r2', 20),
        message('m4', 'r3', 30),
        message('m5', 'r1', 40),
        message('m6', 'r4', 50),
        message('m7', 'r5', 55),
        message('m8', 'r5', 65),
        message('m9', 'd1', 70),
        message('ma', 'd1', 80),
      ]),
    },
    'rocketchat.zip',
  );
  await importOnce(server, 'rocketchat', path);
  expect(await unreadIn(server, 'seen')).toEqual([]);
  expect(await unreadIn(server, 'half')).toEqual(['text m3']);
  expect(await unreadIn(server, 'never')).toEqual(['text m4']);
  expect(await unreadIn(server, 'quiet')).toEqual([]);
  expect(await unreadIn(server, 'joined')).toEqual(['text m8']);
  expect(await countOfUnread(server)).toBe(3);
  expect(await unreadDirect(server, server.people.mel)).toEqual(['text ma']);
  expect(await readAll(server)).toBe(0);
});

test('zulip: single messages are unread', async () => {
  const server = await startServer();
  const row = { id: 1, realm: 2 };
  const message = (id: number, content: string) => ({
    id,
    sender: 7,
    recipient: 204,
    type: 1,
    realm: 2,
    subject: 'boats',
    content,
    date_sent: AT + id,
    edit_history: null,
  });
  const person = (id: number, full_name: string, delivery_email: string) => ({
    ...row,
    id,
    full_name,
    delivery_email,
    is_active: true,
    is_bot: false,
    role: 400,
  });
  const path = await written(
    {
      'realm.json': {
        zerver_realm: [{ id: 2, string_id: 'quay' }],
        zerver_userprofile: [
          person(6, 'Mel', 'mel@example.com'),
          person(7, 'Bob', 'bob@quay.example'),
        ],
        zerver_stream: [{ ...row, id: 4, name: 'quay', recipient: 204, date_created: AT }],
        zerver_recipient: [{ id: 204, type: 2, type_id: 4 }],
        zerver_subscription: [6, 7].map((user) => ({
          id: user,
          user_profile: user,
          recipient: 204,
        })),
      },
      'messages-000001.json': {
        zerver_message: [message(1, 'one'), message(2, 'two @**Mel**'), message(3, 'three')],
        zerver_usermessage: [
          { id: 1, user_profile: 6, message: 1, flags_mask: 0 },
          { id: 2, user_profile: 6, message: 2, flags_mask: 8 },
          { id: 3, user_profile: 6, message: 3, flags_mask: 1 },
        ],
      },
    },
    'zulip.tgz',
  );
  await importOnce(server, 'zulip', path);
  const { mel } = server.people;
  expect(await unreadIn(server, 'quay')).toEqual(['one', `two @**Mel Member|${mel.id}**`]);
  expect(await countOfUnread(server)).toBe(2);
  expect(await readAll(server)).toBe(0);
});
