import { expect, test } from 'vitest';
import { zulip } from '../../../src/imports/formats/zulip/zulip.ts';
import { download } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';
import { type Files, rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';
import { idNamed, importOnce, inChannel, messagesIn, PNG, written } from './imported.ts';

const AT = 1_554_000_000;

const message = (id: number, fields: object) => ({
  id,
  sender: 11,
  recipient: 31,
  subject: 'plans',
  content: 'hello',
  date_sent: AT + id + 0.5,
  last_edit_time: null,
  ...fields,
});

const REALM = {
  zerver_realm: [{ id: 2, string_id: 'old' }],
  zerver_userprofile: [
    {
      id: 11,
      delivery_email: 'mel@example.com',
      email: 'user11@old.example.com',
      full_name: 'Mel',
      is_active: true,
      is_bot: false,
      role: 100,
      date_joined: AT,
      timezone: 'Europe/Berlin',
      avatar_source: 'G',
    },
    {
      id: 12,
      delivery_email: 'bob@old.example.com',
      full_name: 'Bob Beam',
      is_active: true,
      is_bot: false,
      role: 600,
      date_joined: AT,
      timezone: '',
      avatar_source: 'U',
    },
    { id: 13, delivery_email: 'cy@old.example.com', full_name: 'Cy', role: 400, date_joined: AT },
  ],
  zerver_userprofile_crossrealm: [{ id: 3, email: 'notification-bot@example.org' }],
  zerver_subscription: [
    { id: 1, user_profile: 11, recipient: 31, active: true },
    { id: 2, user_profile: 12, recipient: 31, active: true },
    { id: 3, user_profile: 13, recipient: 31, active: false },
    { id: 4, user_profile: 11, recipient: 34, active: true },
    { id: 5, user_profile: 12, recipient: 34, active: false },
    { id: 6, user_profile: 13, recipient: 34, active: true },
    { id: 7, user_profile: 11, recipient: 32, active: true },
  ],
  zerver_recipient: [
    { id: 31, type: 2, type_id: 21 },
    { id: 32, type: 2, type_id: 22 },
    { id: 33, type: 1, type_id: 11 },
    { id: 34, type: 3, type_id: 77 },
  ],
  zerver_stream: [
    { id: 21, name: 'tea', description: 'Leaves', invite_only: false, date_created: AT },
    { id: 22, name: '!DEACTIVATED:attic', invite_only: true, deactivated: true },
    { id: 23, name: '' },
  ],
  zerver_alertword: [{ id: 1, user_profile: 11, word: 'tea' }],
  zerver_usergroup: [{ id: 51 }, { id: 52 }],
  zerver_namedusergroup: [
    { usergroup_ptr: 51, name: 'role:members', is_system_group: true, description: '' },
    { usergroup_ptr: 52, name: 'brewers', is_system_group: false, description: 'They brew' },
  ],
  zerver_usergroupmembership: [
    { id: 1, user_profile: 11, user_group: 51 },
    { id: 2, user_profile: 12, user_group: 52 },
  ],
  zerver_realmemoji: [
    { id: 1, name: 'kettle', file_name: '1.png', deactivated: false, author: 12 },
    { id: 2, name: 'gone', file_name: '2.png', deactivated: true, author: 12 },
  ],
  zerver_reaction: [
    {
      user_profile: 12,
      message: 101,
      emoji_name: 'thumbs_up',
      emoji_code: '1f44d',
      reaction_type: 'unicode_emoji',
    },
    {
      user_profile: 11,
      message: 101,
      emoji_name: 'kettle',
      emoji_code: '1',
      reaction_type: 'realm_emoji',
    },
  ],
};

const UPLOAD = '2/ab/cd/plan.txt';

const archive = (messages: readonly unknown[], more: Files = {}): Files => ({
  'old-export/realm.json': REALM,
  'old-export/messages-000001.json': { zerver_message: messages, zerver_usermessage: [] },
  ...more,
});

const contentOf = async (content: string) => {
  const rows = await rowsOf(zulip, archive([message(101, { content })]));
  return shown(rowsOfKind(rows, 'message')[0]?.content ?? []);
};

test('mentions, groups, channels and uploads are those of the archive, except in code', async () => {
  expect(await contentOf('@**Mel** @_**Bob Beam|12** @**|13** @**Who** @**all**')).toBe(
    '{"mention":"11"} {"mention":"12","silent":true} {"mention":"13"} @**Who** @**all**',
  );
  expect(await contentOf('@*brewers* @*role:members* #**tea** #**tea>a > b@7** #**no**')).toBe(
    '{"group":"52"} @*role:members* {"channel":"21"} {"channel":"21","topic":"a > b","message":"7"} #**no**',
  );
  const code = 'a `@**Mel**` ``@**Mel**``\n````text\n@**Mel**\n```\n````\n';
  expect(await contentOf(`${code}@**Mel**`)).toBe(`${code}{"mention":"11"}`);
  expect(await contentOf('![x](/user_uploads/2/a/b%20c.png)')).toBe(
    '!{"file":{"entry":"old-export/uploads/2/a/b%20c.png","name":"b%20c.png","label":"x"}}',
  );
});

test('a text with many open marks is read in a time that grows with its length', async () => {
  const begunAt = performance.now();
  for (const mark of ['`', '[', '@**', '` ``', '#**a']) await contentOf(mark.repeat(20_000));
  expect(performance.now() - begunAt).toBeLessThan(3_000);
});

test('odd rows are named, and the others come along', async () => {
  const rows = await rowsOf(zulip, {
    ...archive([
      message(101, {}),
      message(101, {}),
      message(102, { sender: 99 }),
      message(103, { recipient: 99 }),
      message(104, { date_sent: 'yesterday' }),
      message(105, { content: ' ' }),
      'odd',
    ]),
    'old-export/messages-000002.json': '{"zerver_message": [{"id": 106,',
  });
  expect(rowsOfKind(rows, 'message').map(({ id }) => id)).toEqual(['101']);
  expect(rowsOfKind(rows, 'skipped').map(({ why }) => why)).toEqual([
    'It has no id or no name.',
    'Its image is not in the archive.',
    'It was deactivated.',
    'It is there twice.',
    'It is no row.',
    'Its sender is not in the archive.',
    'Its channel or its people are not in the archive.',
    'It has no time.',
    'It has no text.',
    'The document ends before it is complete.',
  ]);
  await expect(rowsOf(zulip, { 'a.json': {} })).rejects.toThrow(/has no file realm\.json/);
  await expect(rowsOf(zulip, { 'realm.json': '[]' })).rejects.toThrow(/has no user/);
});

test('an export comes into a server with its people, channels, files, flags and reactions', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await written(
    {
      'old-export/realm.json': REALM,
      'old-export/attachment.json': {
        zerver_attachment: [{ id: 1, path_id: UPLOAD, file_name: 'the plan.txt', owner: 12 }],
      },
      'old-export/uploads/records.json': [{ s3_path: UPLOAD, path: UPLOAD }],
      [`old-export/uploads/${UPLOAD}`]: 'the plan',
      'old-export/emoji/records.json': [
        { path: '2/emoji/images/1.png', file_name: '1.png', name: 'kettle' },
      ],
      'old-export/emoji/2/emoji/images/1.png': PNG,
      'old-export/avatars/records.json': [{ user_profile_id: 12, path: '2/hash.png' }],
      'old-export/avatars/2/hash.png': PNG,
      'old-export/messages-000001.json': {
        zerver_message: [
          message(101, { sender: 12, content: 'Hi @**Mel|11** and @*brewers*' }),
          message(102, { subject: '✔ plans', last_edit_time: AT + 300 }),
          message(103, { sender: 12, recipient: 33, subject: '', content: 'psst' }),
          message(104, { sender: 12, recipient: 34, subject: '\u0007', content: 'all three' }),
        ],
        zerver_usermessage: [
          { user_profile: 11, message: 101, flags_mask: 1 | 8 },
          { user_profile: 11, message: 102, flags_mask: 1 | 2 },
          { user_profile: 11, message: 103, flags_mask: 1 },
          { user_profile: 11, message: 104, flags_mask: 0 },
        ],
      },
      'old-export/messages-000002.json': {
        zerver_message: [
          message(105, { sender: 12, content: `See [it](/user_uploads/${UPLOAD})` }),
          message(106, { sender: 3, subject: '', content: 'Bob came' }),
        ],
        zerver_usermessage: [],
      },
    },
    'old-export.tgz',
  );
  const { report } = await importOnce(server, 'zulip', path);
  expect(report[0]).toMatchObject({
    users: 3,
    users_matched: 1,
    groups: 1,
    channels: 2,
    messages: 6,
    files: 1,
    avatars: 1,
    emoji: 1,
  });
  expect(report).toContainEqual(
    expect.objectContaining({
      left_out: 'alert word',
      why: 'The person has an account here, and keeps their own.',
    }),
  );
  const bob = idNamed(server, 'Bob Beam');
  const tea = await inChannel(server, mel, 'tea');
  expect(
    tea.map(({ subject, timestamp, sender_full_name }) => [subject, timestamp, sender_full_name]),
  ).toEqual([
    ['plans', AT + 101, 'Bob Beam'],
    ['✔ plans', AT + 102, 'Mel Member'],
    ['plans', AT + 105, 'Bob Beam'],
    ['general chat', AT + 106, 'notification bot'],
  ]);
  expect(tea[0]?.content).toBe(`Hi @**Mel Member|${mel.id}** and @*brewers*`);
  expect(tea[0]?.flags).toContain('mentioned');
  expect(tea[1]?.flags).toContain('starred');
  expect(tea[1]).toMatchObject({ last_edit_timestamp: AT + 300 });
  expect(tea[2]?.content).toMatch(/^See \[it\]\(\/user_uploads\/[^)]*\/the-plan\.txt\)$/);
  const link = /\((.*)\)/.exec(tea[2]?.content ?? '')?.[1] ?? '';
  const file = await download(server, link, { as: mel });
  expect(file.bytes.toString()).toBe('the plan');
  expect(tea[0]?.reactions).toContainEqual(
    expect.objectContaining({ emoji_name: 'thumbs_up', user_id: bob }),
  );
  expect(tea[0]?.reactions).toContainEqual(
    expect.objectContaining({ emoji_name: 'kettle', reaction_type: 'realm_emoji' }),
  );
  const image = await download(server, `/avatar/${bob}`, { as: mel });
  expect(image.headers.location).toContain('/user_avatars/');
  const [psst] = await messagesIn(server, mel, [{ operator: 'dm', operand: [bob] }]);
  expect(psst).toMatchObject({ content: 'psst', flags: ['read'] });
  const cy = idNamed(server, 'Cy');
  const [three] = await messagesIn(server, mel, [{ operator: 'dm', operand: [bob, cy] }]);
  expect(three).toMatchObject({ content: 'all three', flags: [] });
  const { body } = await server.get(mel, '/streams', { include_all_active: false });
  expect(JSON.stringify(body)).toContain('"tea"');
});
