import { gzipSync } from 'node:zlib';
import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { rocketchat } from '../../../src/imports/formats/rocketchat/rocketchat.ts';
import { type Files, rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';

const AT = new Date('2024-01-02T10:00:00Z');
const SECONDS = AT.getTime() / 1000;
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000);

type Row = Readonly<Record<string, unknown>>;

const USERS: readonly Row[] = [
  {
    _id: 'u1',
    username: 'ann',
    name: 'Ann Ash',
    type: 'user',
    active: true,
    roles: ['admin', 'user'],
    emails: [{ address: 'ann@example.com', verified: true }],
    createdAt: AT,
    __rooms: ['r1'],
  },
  { _id: 'u2', username: 'bob.b', name: 'Bob', type: 'bot', active: true, roles: ['bot'] },
];
const ROOMS: readonly Row[] = [
  { _id: 'r1', t: 'c', name: 'general', description: 'All', ts: AT, u: { _id: 'u1' } },
  { _id: 'r2', t: 'd', uids: ['u1', 'u2'], usernames: ['ann', 'bob.b'] },
  { _id: 'r3', t: 'p', name: 'aBcD', fname: 'Which logo?', prid: 'r1' },
  { _id: 'r4', t: 'l', fname: 'Visitor' },
];
const message = (id: string, fields: Row = {}): Row => ({
  _id: id,
  rid: 'r1',
  msg: `text ${id}`,
  ts: AT,
  u: { _id: 'u1', username: 'ann' },
  ...fields,
});
const MESSAGES: readonly Row[] = [
  message('m2', { tmid: 'm1', ts: later(5) }),
  message('m1', {
    msg: 'Hi @bob.b, *bold* _it_ ~gone~ #general @all',
    tcount: 1,
    editedAt: later(9),
    reactions: { ':wave_tone3:': { usernames: ['ann', 'gone'] } },
    starred: [{ _id: 'u2' }],
  }),
  message('m3', { rid: 'r2' }),
  message('m4', { rid: 'r3' }),
  message('m5', {
    msg: '[ ](https://chat.example.com/channel/general?msg=m1) yes',
    attachments: [{ text: 'Hi', author_name: 'ann', message_link: 'https://x/?msg=m1' }],
  }),
  message('m6', {
    msg: '',
    files: [
      { _id: 'f1', name: 'plan.pdf' },
      { _id: 'f2', name: 'gone.pdf' },
    ],
    attachments: [
      { title: 'plan.pdf', title_link: '/file-upload/f1/plan.pdf', description: 'the plan' },
    ],
  }),
  message('m7', { t: 'uj' }),
  message('m8', { u: { _id: 'u9', name: 'Zoe' } }),
];

const bson = (rows: readonly Row[]): Buffer => Buffer.concat(rows.map((row) => serialize(row)));

/** Dates become those of Extended JSON. */
const extended = (row: Row): string =>
  JSON.stringify(row, function (this: Record<string, unknown>, key, value) {
    const date = this[key];
    return date instanceof Date ? { $date: date.toISOString() } : value;
  });

const dump: Files = {
  'dump/rocketchat/users.bson': bson(USERS),
  'dump/rocketchat/rocketchat_room.bson': bson(ROOMS),
  'dump/rocketchat/rocketchat_message.bson': bson(MESSAGES),
  'uploads/f1.pdf': 'pdf',
};

test('1: a dump gives users, rooms, threads, discussions, quotes and files', async () => {
  const rows = await rowsOf(rocketchat, dump);
  expect(rowsOfKind(rows, 'user')).toEqual([
    {
      kind: 'user',
      id: 'u1',
      name: 'Ann Ash',
      email: 'ann@example.com',
      bot: false,
      active: true,
      role: 'owner',
      joinedAt: SECONDS,
    },
    { kind: 'user', id: 'u2', name: 'Bob', bot: true, active: true, role: 'member' },
    { kind: 'user', id: 'u9', name: 'Zoe', bot: false, active: false },
  ]);
  expect(rowsOfKind(rows, 'channel')).toEqual([
    {
      kind: 'channel',
      id: 'r1',
      name: 'general',
      description: 'All',
      private: false,
      archived: false,
      createdAt: SECONDS,
      creator: 'u1',
      subscribers: ['u1'],
    },
  ]);
  const messages = rowsOfKind(rows, 'message');
  expect(messages.map(({ id, to }) => [id, to])).toEqual([
    ['m2', { channel: 'r1', topic: 'Hi @bob.b, bold it gone #general @all' }],
    ['m1', { channel: 'r1', topic: 'Hi @bob.b, bold it gone #general @all' }],
    ['m3', { direct: ['u1', 'u2'] }],
    ['m4', { channel: 'r1', topic: 'Which logo?' }],
    ['m5', { channel: 'r1', topic: 'imported' }],
    ['m6', { channel: 'r1', topic: 'imported' }],
    ['m8', { channel: 'r1', topic: 'imported' }],
  ]);
  expect(messages[1]).toMatchObject({
    sentAt: SECONDS,
    editedAt: SECONDS + 9,
    reactions: [{ emoji: 'wave', users: ['u1'] }],
    starredBy: ['u2'],
  });
  expect([1, 4, 5].map((index) => shown(messages[index]?.content ?? []))).toEqual([
    'Hi {"mention":"u2"}, **bold** *it* ~~gone~~ {"channel":"r1"} {"mentionAll":true}',
    '{"mention":"u1","silent":true}:\n> Hi\n\nyes',
    '{"file":{"entry":"uploads/f1.pdf","name":"plan.pdf"}}\n\ngone.pdf\n\nthe plan',
  ]);
  expect(rowsOfKind(rows, 'skipped').map(({ what, name, why }) => [what, name, why])).toEqual([
    ['channel', 'Visitor', 'Rooms of the type l do not come along.'],
    ['file', 'gone.pdf', 'The archive has no file with the id of the upload.'],
    ['message', undefined, 'The service wrote it itself (uj).'],
  ]);
});

test('2: JSON lines, a JSON array and packed collections give the same rows', async () => {
  const expected = (await rowsOf(rocketchat, dump)).filter(({ kind }) => kind !== 'skipped');
  const exported = await rowsOf(rocketchat, {
    'rocketchat_users.json': USERS.map(extended).join('\n'),
    'rocketchat_rooms.json': `[${ROOMS.map(extended).join(',')}]`,
    'rocketchat_messages.bson.gz': gzipSync(bson(MESSAGES)),
    'uploads/f1.pdf': 'pdf',
  });
  expect(exported.filter(({ kind }) => kind !== 'skipped')).toEqual(expected);
});

test('3: odd documents are skipped, and a damaged file is read up to the damage', async () => {
  const odd = [
    message('m1'),
    message('m1'),
    message('m2', { ts: 'yesterday' }),
    message('m3', { ts: new Date(0) }),
    message('m4', { rid: 'nowhere' }),
    message('m5', { u: 'ann' }),
    message('m6', { msg: { a: 1 } }),
    message(''),
  ];
  const rows = await rowsOf(rocketchat, {
    ...dump,
    'dump/rocketchat/rocketchat_message.bson': Buffer.concat([
      bson(odd),
      Buffer.from([255, 255, 255, 255, 1, 2]),
    ]),
  });
  expect(rowsOfKind(rows, 'message').map(({ id }) => id)).toEqual(['m1']);
  expect(
    rowsOfKind(rows, 'skipped')
      .map(({ why }) => why)
      .slice(1),
  ).toEqual([
    'The archive has it twice.',
    'Its time (ts) is missing or impossible.',
    'Its time (ts) is missing or impossible.',
    'No room that comes along has the id of its rid.',
    'It has no sender (u._id).',
    'It has neither a text nor a file.',
    'It has no _id.',
    'Document 9 cannot be -1 bytes long.',
  ]);
});

test('4: what is no dump of Rocket.Chat is refused', async () => {
  await expect(rowsOf(rocketchat, { 'users.bson': bson(USERS) })).rejects.toThrow(/rooms/);
});
