import { expect, test } from 'vitest';
import { discord } from '../../../src/imports/formats/discord/discord.ts';
import { type Files, leftOut, rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';

const ANN = { id: '1', name: 'ann', nickname: 'Ann', discriminator: '0001', isBot: false };
const BOB = { id: '2', name: 'bob', nickname: 'Bob B', isBot: true, avatarUrl: 'files/bob.png' };
const AT = '2024-01-02T10:00:00.5+00:00';
const SECONDS = Date.parse(AT) / 1000 - 0.5;

const message = (id: string, fields: object = {}) => ({
  id,
  type: 'Default',
  timestamp: AT,
  timestampEdited: null,
  isPinned: false,
  content: `text ${id}`,
  author: ANN,
  attachments: [],
  embeds: [],
  stickers: [],
  reactions: [],
  mentions: [],
  ...fields,
});

const channel = (messages: readonly unknown[], fields: object = {}) => ({
  guild: { id: '9', name: 'Guild' },
  channel: {
    id: '10',
    type: 'GuildTextChat',
    categoryId: '5',
    category: 'Text',
    name: 'general',
    topic: 'All',
    ...fields,
  },
  dateRange: { after: null, before: null },
  exportedAt: AT,
  messages,
  messageCount: messages.length,
});

const contents = async (fields: object, more: Files = {}) => {
  const files = { 'a.json': channel([message('100', fields)]), ...more };
  const rows = await rowsOf(discord, files);
  return shown(rowsOfKind(rows, 'message')[0]?.content ?? []);
};

test('1: channels, threads and direct conversations come along', async () => {
  const rows = await rowsOf(discord, {
    'a.json': channel([message('100'), message('101', { author: BOB })]),
    'b.json': channel([message('110')], {
      id: '11',
      type: 'GuildPublicThread',
      categoryId: '10',
      category: 'general',
      name: 'Which logo?',
    }),
    'c.json': channel([message('120', { author: BOB })], { id: '12', type: 'DirectTextChat' }),
    'files/bob.png': 'png',
  });
  expect(rowsOfKind(rows, 'user')).toEqual([
    { kind: 'user', id: '1', name: 'Ann', bot: false, active: true },
    {
      kind: 'user',
      id: '2',
      name: 'Bob B',
      bot: true,
      active: true,
      avatar: { entry: 'files/bob.png', name: 'avatar.png' },
    },
  ]);
  expect(rowsOfKind(rows, 'channel')).toEqual([
    {
      kind: 'channel',
      id: '10',
      name: 'general',
      description: 'All',
      private: true,
      archived: false,
      subscribers: ['1', '2'],
    },
  ]);
  expect(rowsOfKind(rows, 'message').map(({ id, to }) => [id, to])).toEqual([
    ['100', { channel: '10', topic: 'imported' }],
    ['101', { channel: '10', topic: 'imported' }],
    ['110', { channel: '10', topic: 'Which logo?' }],
    ['120', { direct: ['2'] }],
  ]);
  expect(rowsOfKind(rows, 'message')[0]?.sentAt).toBe(SECONDS);
  expect(rowsOfKind(rows, 'skipped')).toEqual([]);
});

test.each([
  ['hi <@1> <@!7> <@&3> <#10>', 'hi {"mention":"1"} @unknown-user @unknown-role {"channel":"10"}'],
  ['hey @Bob B!', 'hey {"mention":"2"}!'],
  ['@everyone `@everyone`', '{"mentionAll":true} `@everyone`'],
  ['<:Party:12> <t:1392734382:R>', ':party: <time:1392734382>'],
  ['see ||<@1> did it||.', 'see \n```spoiler\n{"mention":"1"} did it\n```\n.'],
  ['__under__ _it_ **bold** ~~gone~~', '**under** *it* **bold** ~~gone~~'],
  ['@**Ann** #**general**', '@\u2060**Ann** #\u2060**general**'],
  ['```js\nopen', '```js\nopen\n```'],
])('2: the text %j becomes %j', async (content, expected) => {
  expect(await contents({ content, mentions: [BOB] })).toBe(expected);
});

test('3: replies, files, embeds, stickers, reactions and emoji', async () => {
  const rows = await rowsOf(discord, {
    'x/a.json': channel([
      message('100', { content: 'first line\nsecond' }),
      message('101', {
        type: 'Reply',
        reference: { messageId: '100' },
        content: '',
        attachments: [
          { id: '1', url: 'files/plan%20a.pdf', fileName: 'plan a.pdf' },
          { id: '2', url: 'https://cdn.example.com/b.pdf?ex=secret', fileName: 'b.pdf' },
        ],
        embeds: [{ title: 'Title', url: 'https://example.com', description: 'words', fields: [] }],
        reactions: [
          { emoji: { id: '7', name: 'Party', imageUrl: 'files/party.png' }, users: [ANN] },
          { emoji: { id: '', name: '👋🏽' }, users: [ANN, BOB] },
        ],
      }),
    ]),
    'x/files/plan a.pdf': 'pdf',
    'x/files/party.png': 'png',
  });
  const [, reply] = rowsOfKind(rows, 'message');
  expect(shown(reply?.content ?? [])).toBe(
    '{"mention":"1","silent":true}:\n> first line…\n\n' +
      '**[Title](https://example.com)**\n\nwords\n\n' +
      '{"file":{"entry":"x/files/plan a.pdf","name":"plan a.pdf"}}\n\n' +
      '[b.pdf](https://cdn.example.com/b.pdf)',
  );
  expect(reply?.reactions).toEqual([
    { emoji: 'party', users: ['1'] },
    { emoji: '👋', users: ['1', '2'] },
  ]);
  expect(rowsOfKind(rows, 'emoji')).toEqual([
    { kind: 'emoji', name: 'party', file: { entry: 'x/files/party.png', name: 'party.png' } },
  ]);
  expect(rowsOfKind(rows, 'skipped').map(({ name }) => name)).toEqual(['b.pdf']);
});

test('3: a reply quotes what was said as it is shown here, and mentions nobody', async () => {
  const rows = await rowsOf(discord, {
    'x/a.json': channel([
      message('100', { content: 'Hi <@1> __loud__ ||secret|| <:Party:7>' }),
      message('101', { content: `||${'so '.repeat(100)}||` }),
      ...['100', '101'].map((messageId, index) =>
        message(`${200 + index}`, { type: 'Reply', reference: { messageId }, content: 'yes' }),
      ),
    ]),
  });
  const [, , plain, hidden] = rowsOfKind(rows, 'message').map(({ content }) => shown(content));
  expect(plain).toBe(
    '{"mention":"1","silent":true}:\n> Hi {"mention":"1","silent":true} **loud** \n' +
      '> ```spoiler\n> secret\n> ```\n>  :party:\n\nyes',
  );
  expect(hidden).toBe('{"mention":"1","silent":true}:\n> …\n\nyes');
});

test('4: odd messages are skipped, and damaged files are read up to the damage', async () => {
  const whole = JSON.stringify(
    channel([message('200'), message('201')], { id: '20', name: 'cut' }),
  );
  const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
  const rows = await rowsOf(discord, {
    'a.json': channel([
      message('100'),
      message('100'),
      message('101', { timestamp: 'never' }),
      message('102', { timestamp: '0001-01-01T00:00:00+00:00' }),
      message('103', { author: null }),
      message('104', { content: 5 }),
      7,
      message('105', { type: 'GuildMemberJoin' }),
      message(''),
    ]),
    'cut.json': whole.slice(0, whole.indexOf('text 201')),
    'deep.json': `{"channel": {"id": "3"}, "messages": [${deep}]}`,
    'other.json': { a: 1 },
  });
  expect(rowsOfKind(rows, 'message').map(({ id }) => id)).toEqual(['100', '200']);
  expect(leftOut(rows)).toEqual([
    ['other.json', 'It is no exported channel.'],
    ['a.json:100', 'The archive has it twice.'],
    ['a.json:101', 'Its time (timestamp) is missing or impossible.'],
    ['a.json:102', 'Its time (timestamp) is missing or impossible.'],
    ['a.json:103', 'It has no author.'],
    ['a.json:104', 'It has neither a text nor a file.'],
    ['a.json:7', 'It is no object.'],
    ['a.json:9', 'It has no id.'],
    ['a.json', 'The service wrote it itself (GuildMemberJoin).'],
    ['cut.json', 'The document ends before it is complete.'],
    ['deep.json:1', 'The element nests deeper than 200 levels.'],
  ]);
});

test('people who first write at the end of a long channel are known', async () => {
  // Their messages are more than an element may be.
  const content = 'x'.repeat(1024 * 1024);
  const long = Array.from({ length: 17 }, (_, at) => message(String(100 + at), { content }));
  const rows = await rowsOf(discord, {
    'a.json': channel([...long, message('200', { author: BOB })]),
  });
  expect(rowsOfKind(rows, 'user').map(({ id }) => id)).toEqual(['1', '2']);
  expect(leftOut(rows)).toEqual([]);
});

test('5: what is no export of Discord is refused', async () => {
  await expect(rowsOf(discord, { 'a.json': '{}' })).rejects.toThrow(/no export/);
});
