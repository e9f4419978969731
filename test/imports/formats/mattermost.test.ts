import { expect, test } from 'vitest';
import { mattermost } from '../../../src/imports/formats/mattermost/mattermost.ts';
import { type Files, leftOut, rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';

const MS = 1_704_189_600_000;

const DIRECTORY = [
  { type: 'version', version: 1 },
  { type: 'emoji', emoji: { name: 'party', image: 'emoji/party.png' } },
  { type: 'team', team: { name: 'core', display_name: 'Core', type: 'O' } },
  { type: 'team', team: { name: 'side', display_name: 'Side', type: 'O' } },
  {
    type: 'channel',
    channel: { team: 'core', name: 'town', display_name: 'Town', type: 'O', purpose: 'All' },
  },
  { type: 'channel', channel: { team: 'side', name: 'town', display_name: 'Town', type: 'P' } },
  {
    type: 'user',
    user: {
      username: 'ann',
      email: 'ann@example.com',
      first_name: 'Ann',
      last_name: 'Ash',
      roles: 'system_admin system_user',
      teams: [{ name: 'core', roles: 'team_user', channels: [{ name: 'town' }] }],
    },
  },
  { type: 'user', user: { username: 'bob', delete_at: 5, roles: 'system_guest', teams: null } },
];

const lines = (rows: readonly unknown[], more: Files = {}): Files => ({
  'import.jsonl': [...DIRECTORY, ...rows]
    .map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
    .join('\n'),
  'data/emoji/party.png': 'png',
  ...more,
});
const post = (fields: object) => ({
  type: 'post',
  post: { team: 'core', channel: 'town', user: 'ann', message: 'x', create_at: MS, ...fields },
});

test('1: users, channels of two teams and emoji come along', async () => {
  const rows = await rowsOf(mattermost, lines([]));
  expect(rows).toEqual([
    {
      kind: 'user',
      id: 'ann',
      name: 'Ann Ash',
      email: 'ann@example.com',
      bot: false,
      active: true,
      role: 'owner',
    },
    { kind: 'user', id: 'bob', name: 'bob', bot: false, active: false, role: 'guest' },
    {
      kind: 'channel',
      id: 'core:town',
      name: 'Town (Core)',
      description: 'All',
      private: false,
      archived: false,
      subscribers: ['ann'],
    },
    {
      kind: 'channel',
      id: 'side:town',
      name: 'Town (Side)',
      description: '',
      private: true,
      archived: false,
      subscribers: [],
    },
    { kind: 'emoji', name: 'party', file: { entry: 'data/emoji/party.png', name: 'party.png' } },
  ]);
});

test('an image of a person that the export names and lacks is in the report', async () => {
  const { 'import.jsonl': given, ...rest } = lines([
    { type: 'user', user: { username: 'cat', profile_image: 'users/c/profile.png' } },
    { type: 'user', user: { username: 'dan', profile_image: 'users/d/profile.png' } },
  ]);
  const rows = await rowsOf(mattermost, {
    ...rest,
    'import.jsonl': given,
    'data/users/d/profile.png': 'png',
  });
  expect(rowsOfKind(rows, 'user').map(({ id, avatar }) => [id, avatar?.entry])).toEqual(
    expect.arrayContaining([
      ['cat', undefined],
      ['dan', 'data/users/d/profile.png'],
    ]),
  );
  expect(rowsOfKind(rows, 'skipped')).toEqual([
    expect.objectContaining({ what: 'avatar', name: 'cat', row: '9' }),
  ]);
});

test('2: replies are in the topic of their post; reactions, files and flags come along', async () => {
  const rows = await rowsOf(
    mattermost,
    lines(
      [
        post({
          message: 'Hi @bob. _See_ ~town @all `@ann`',
          edit_at: MS + 1000,
          flagged_by: ['bob'],
          reactions: [
            { user: 'ann', emoji_name: 'wave_dark_skin_tone' },
            { user: 'bob', emoji_name: 'party' },
            { user: 'ann', emoji_name: 'party' },
          ],
          attachments: [{ path: '20240102/plan.pdf' }, { path: '../../etc/passwd' }],
          replies: [
            { user: 'ann', message: 'late', create_at: MS + 9000 },
            { user: 'bob', message: 'early', create_at: MS + 2000 },
          ],
        }),
        {
          type: 'direct_post',
          direct_post: {
            channel_members: ['ann', 'bob'],
            user: 'bob',
            message: 'psst',
            create_at: MS,
          },
        },
      ],
      { 'data/20240102/plan.pdf': 'pdf' },
    ),
  );
  const messages = rowsOfKind(rows, 'message');
  expect(messages.map(({ content }) => shown(content))).toEqual([
    'Hi {"mention":"bob"}. *See* {"channel":"core:town"} {"mentionAll":true} `@ann`\n\n' +
      '{"file":{"entry":"data/20240102/plan.pdf","name":"plan.pdf"}}\n\npasswd',
    'early',
    'late',
    'psst',
  ]);
  expect(messages[0]).toMatchObject({
    sentAt: 1_704_189_600,
    editedAt: 1_704_189_601,
    starredBy: ['bob'],
    reactions: [
      { emoji: 'wave', users: ['ann'] },
      { emoji: 'party', users: ['bob', 'ann'] },
    ],
  });
  const topic = 'Hi @bob. See town @all @ann';
  expect(messages.map(({ to }) => to).slice(1)).toEqual([
    { channel: 'core:town', topic: expect.stringContaining(topic.slice(0, 7)) },
    { channel: 'core:town', topic: expect.stringContaining(topic.slice(0, 7)) },
    { direct: ['ann', 'bob'] },
  ]);
  expect(rowsOfKind(rows, 'skipped').map(({ name, why }) => [name, why])).toEqual([
    ['../../etc/passwd', 'The file is not in the archive.'],
  ]);
});

test('3: odd lines are skipped with where and why', async () => {
  const rows = await rowsOf(
    mattermost,
    lines([
      '{not json',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      { type: 'user', user: { username: 'ann' } },
      { type: 'moon' },
      post({ create_at: 'soon' }),
      post({ create_at: -5 }),
      post({ user: 'zoe' }),
      post({ channel: 'nowhere' }),
      post({ type: 'system_join_channel' }),
      post({ message: '' }),
      post({ message: 'twice' }),
      post({ message: 'twice' }),
    ]),
  );
  expect(rowsOfKind(rows, 'message')).toHaveLength(1);
  expect(leftOut(rows)).toEqual([
    ['import.jsonl:9', 'The line is not JSON.'],
    ['import.jsonl:10', 'The line nests deeper than 200 levels.'],
    ['import.jsonl:11', 'The user came before.'],
    ['import.jsonl:12', 'Its type is not known.'],
    ['import.jsonl:13', 'Its time (create_at) is missing or impossible.'],
    ['import.jsonl:14', 'Its time (create_at) is missing or impossible.'],
    ['import.jsonl:15', 'The archive has no user zoe.'],
    ['import.jsonl:16', 'No channel is named core:nowhere.'],
    ['import.jsonl:17', 'The service wrote it itself (system_join_channel).'],
    ['import.jsonl:18', 'It has neither a text nor a file.'],
    ['import.jsonl:20', 'The archive has it twice.'],
  ]);
});

test('4: what is no export of Mattermost is refused', async () => {
  await expect(rowsOf(mattermost, { 'a.txt': 'x' })).rejects.toThrow(/no bulk export/);
  await expect(rowsOf(mattermost, { 'a.jsonl': '{}' })).rejects.toThrow(/no bulk export/);
});
