import { expect, test } from 'vitest';
import { slack } from '../../../src/imports/formats/slack/slack.ts';
import { type Files, leftOut, rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';

const USERS = [
  {
    id: 'U1',
    name: 'ann',
    tz: 'Europe/Berlin',
    is_owner: true,
    profile: { real_name: 'Ann Ash', email: 'ann@example.com' },
  },
  { id: 'U2', name: 'bob', deleted: true, profile: { display_name: 'Bob' } },
  { id: 'U3', name: 'gus', is_restricted: true, profile: {} },
];
const CHANNELS = [
  {
    id: 'C1',
    name: 'general',
    created: 1_600_000_000,
    creator: 'U1',
    is_archived: false,
    members: ['U1', 'U2'],
    purpose: { value: 'All of us' },
  },
];

const archive = (messages: readonly unknown[], more: Files = {}): Files => ({
  'users.json': USERS,
  'channels.json': CHANNELS,
  'general/2024-01-02.json': messages,
  ...more,
});

test('1: users, channels and direct conversations come along', async () => {
  const rows = await rowsOf(slack, {
    ...archive([{ user: 'U1', ts: '1704189600.000100', text: 'hi' }]),
    'groups.json': [{ id: 'G1', name: 'secret', members: ['U1'] }],
    'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
    'D1/2024-01-02.json': [{ user: 'U2', ts: '1704189601.000100', text: 'psst' }],
    'mpims.json': [{ id: 'G2', name: 'mpdm-ann--bob--gus-1', members: ['U1', 'U2', 'U3'] }],
    'mpdm-ann--bob--gus-1/2024-01-02.json': [{ user: 'U3', ts: '1704189602.0', text: 'three' }],
  });
  expect(rowsOfKind(rows, 'user')).toEqual([
    {
      kind: 'user',
      id: 'U1',
      name: 'Ann Ash',
      email: 'ann@example.com',
      bot: false,
      active: true,
      role: 'owner',
      timezone: 'Europe/Berlin',
    },
    { kind: 'user', id: 'U2', name: 'Bob', bot: false, active: false, role: 'member' },
    { kind: 'user', id: 'U3', name: 'gus', bot: false, active: true, role: 'guest' },
  ]);
  expect(rowsOfKind(rows, 'channel')).toEqual([
    {
      kind: 'channel',
      id: 'C1',
      name: 'general',
      description: 'All of us',
      private: false,
      archived: false,
      createdAt: 1_600_000_000,
      creator: 'U1',
      subscribers: ['U1', 'U2'],
    },
    {
      kind: 'channel',
      id: 'G1',
      name: 'secret',
      description: '',
      private: true,
      archived: false,
      subscribers: ['U1'],
    },
  ]);
  expect(rowsOfKind(rows, 'message').map(({ to }) => to)).toEqual([
    { channel: 'C1', topic: 'imported' },
    { direct: ['U1', 'U2', 'U3'] },
    { direct: ['U1', 'U2'] },
  ]);
  expect(rowsOfKind(rows, 'skipped')).toEqual([]);
});

test('2: a thread is a topic with the name of its first message', async () => {
  const thread = (ts: string, parent: string, text: string) => ({
    user: 'U1',
    ts,
    thread_ts: parent,
    text,
  });
  const rows = await rowsOf(
    slack,
    archive([
      thread('1704189600.000100', '1704189600.000100', '*When* do <@U2> and <@U9>we ship?'),
      thread('1704189601.000100', '1704189600.000100', 'tomorrow'),
      thread('1704189602.000100', '1704189602.000100', 'When do <@U2|b> and we ship?'),
      thread('1704189603.000100', '1600000000.000100', 'an answer to what is gone'),
    ]),
  );
  expect(rowsOfKind(rows, 'message').map(({ to }) => to)).toEqual([
    { channel: 'C1', topic: 'When do @Bob and we ship?' },
    { channel: 'C1', topic: 'When do @Bob and we ship?' },
    { channel: 'C1', topic: 'When do @Bob and we ship? (2)' },
    { channel: 'C1', topic: 'Thread of 2020-09-13' },
  ]);
});

test.each([
  ['<https://example.com/a_b|the page>', '[the page](https://example.com/a_b)'],
  ['<https://example.com>', 'https://example.com'],
  ['<javascript:alert(1)|go>', 'go'],
  ['hi <@U1>, see <#C1|general>', 'hi {"mention":"U1"}, see {"channel":"C1"}'],
  ['<!here> and <!subteam^S1|@team>', '{"mentionAll":true} and {"group":"S1"}'],
  ['*bold* _it_ ~gone~', '**bold** *it* ~~gone~~'],
  ['2*3*4 snake_case_name', '2\\*3\\*4 snake_case_name'],
  ['`a*b*` ```x &lt; y```', '`a*b*` \n```\nx < y\n```\n'],
  ['a &amp;lt; b', 'a &lt; b'],
  ['&gt; quoted', '> quoted'],
  [':wave::skin-tone-3: :tada:', ':wave: :tada:'],
  ['@**Ann Ash**', '@\\*\\*Ann Ash\\*\\*'],
  ['<!date^1392734382^{date}|Feb 18>', '<time:1392734382>'],
])('3: mrkdwn %j becomes %j', async (text, expected) => {
  const rows = await rowsOf(slack, archive([{ user: 'U1', ts: '1704189600.1', text }]));
  const [message] = rowsOfKind(rows, 'message');
  expect(shown(message?.content ?? [])).toBe(expected);
});

test('4: blocks of rich text say more than the text', async () => {
  const blocks = [
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'not *bold* but ' },
            { type: 'text', text: 'this is ', style: { bold: true, italic: true } },
            { type: 'user', user_id: 'U1' },
            { type: 'emoji', name: 'wave', unicode: '1f44b' },
            { type: 'link', url: 'https://example.com/(x)', text: 'a [page]' },
          ],
        },
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: [
            { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] },
            { type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] },
          ],
        },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a ``` b' }] },
        { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said\nso' }] },
      ],
    },
  ];
  const rows = await rowsOf(
    slack,
    archive([{ user: 'U1', ts: '1704189600.1', text: 'x', blocks }]),
  );
  expect(shown(rowsOfKind(rows, 'message')[0]?.content ?? [])).toBe(
    'not \\*bold\\* but ***this is*** {"mention":"U1"}:wave:[a \\[page\\]](https://example.com/%28x%29)' +
      '\n1. one\n2. two\n\n````\na ``` b\n````\n\n> said\n> so\n',
  );
});

test('5: files in the archive come along; others become links without their tokens', async () => {
  const url = 'https://files.slack.com/files-pri/T1-F2/plan.pdf?t=xoxe-secret';
  const rows = await rowsOf(
    slack,
    archive(
      [
        {
          user: 'U1',
          ts: '1704189600.1',
          text: '',
          files: [
            { id: 'F0000001', name: 'here.txt' },
            { id: 'F0000002', name: 'plan.pdf', url_private: url },
          ],
        },
      ],
      { '__uploads/F0000001/here.txt': 'hello' },
    ),
  );
  expect(shown(rowsOfKind(rows, 'message')[0]?.content ?? [])).toBe(
    '{"file":{"entry":"__uploads/F0000001/here.txt","name":"here.txt"}}\n\n' +
      '[plan.pdf](https://files.slack.com/files-pri/T1-F2/plan.pdf)',
  );
  expect(rowsOfKind(rows, 'skipped')).toEqual([
    {
      kind: 'skipped',
      what: 'file',
      file: 'general/2024-01-02.json',
      row: '1704189600.1',
      name: 'plan.pdf',
      why: 'The export has only the address of the file.',
    },
  ]);
});

test('6: bots and people of other workspaces become users', async () => {
  const rows = await rowsOf(
    slack,
    archive([
      { subtype: 'bot_message', bot_id: 'B1', username: 'Deploy', ts: '1704189600.1', text: 'ok' },
      { user: 'U9', user_profile: { real_name: 'Zoe' }, ts: '1704189600.2', text: 'hi' },
    ]),
  );
  expect(rowsOfKind(rows, 'user').slice(3)).toEqual([
    { kind: 'user', id: 'B1', name: 'Deploy', bot: true, active: true },
    { kind: 'user', id: 'U9', name: 'Zoe', bot: false, active: false },
  ]);
  expect(rowsOfKind(rows, 'message').map(({ sender }) => sender)).toEqual(['B1', 'U9']);
});

test('7: odd rows are skipped with where and why, and messages of the service are counted', async () => {
  const rows = await rowsOf(
    slack,
    archive(
      [
        {
          user: 'U1',
          ts: '1704189600.1',
          text: 'fine',
          reactions: [{ name: 'wave::skin-tone-2', users: ['U2'] }, 7],
        },
        { user: 'U1', ts: '1704189600.1', text: 'fine' },
        { user: 'U1', text: 'no time' },
        { user: 'U1', ts: '99999999999.0', text: 'far off' },
        { ts: '1704189601.1', text: 'nobody' },
        { user: 'U1', ts: '1704189602.1', text: 12, blocks: 'x', files: {} },
        'text',
        { subtype: 'channel_join', user: 'U1', ts: '1704189603.1', text: 'joined' },
        { subtype: 'channel_join', user: 'U2', ts: '1704189604.1', text: 'joined' },
      ],
      { 'general/2024-01-03.json': '[{"user":"U1","ts":"1704276000.1","text":"before"},{"user"' },
    ),
  );
  expect(rowsOfKind(rows, 'message').map(({ content }) => shown(content))).toEqual([
    'fine',
    'before',
  ]);
  expect(rowsOfKind(rows, 'message')[0]?.reactions).toEqual([{ emoji: 'wave', users: ['U2'] }]);
  expect(leftOut(rows)).toEqual([
    ['general/2024-01-02.json:1704189600.1', 'The archive has it twice.'],
    ['general/2024-01-02.json:3', 'Its time (ts) is missing or impossible.'],
    ['general/2024-01-02.json:99999999999.0', 'Its time (ts) is missing or impossible.'],
    ['general/2024-01-02.json:1704189601.1', 'Nobody is said to have sent it.'],
    ['general/2024-01-02.json:1704189602.1', 'It has neither a text nor a file.'],
    ['general/2024-01-02.json:7', 'It is no object.'],
    ['general/2024-01-03.json', 'The document ends before it is complete.'],
    ['general', 'The service wrote it itself (channel_join).'],
  ]);
  expect(rowsOfKind(rows, 'skipped').at(-1)).toMatchObject({ what: 'message', count: 2 });
});

test('8: what is no export of Slack is refused', async () => {
  await expect(rowsOf(slack, { 'a.txt': 'x' })).rejects.toThrow(/no export of Slack/);
  await expect(rowsOf(slack, { 'users.json': '[{"id"' })).rejects.toThrow(/users\.json/);
});

test('a bot that has an account writes under it, under whichever id messages name it', async () => {
  const bot = { id: 'U6', is_bot: true, profile: { real_name: 'Deploy Bot', bot_id: 'B6' } };
  const rows = await rowsOf(slack, {
    ...archive([
      { bot_id: 'B6', subtype: 'bot_message', username: 'deploy', ts: '1704189600.0', text: 'ok' },
      { user: 'U6', bot_id: 'B6', ts: '1704189601.0', text: 'too' },
      { bot_id: 'B7', subtype: 'bot_message', username: 'other', ts: '1704189602.0', text: 'hm' },
    ]),
    'users.json': [...USERS, bot],
  });
  expect(rowsOfKind(rows, 'message').map(({ sender }) => sender)).toEqual(['U6', 'U6', 'B7']);
  const bots = rowsOfKind(rows, 'user').filter((user) => user.bot);
  expect(bots.map(({ id, name }) => [id, name])).toEqual([
    ['U6', 'Deploy Bot'],
    ['B7', 'other'],
  ]);
});
