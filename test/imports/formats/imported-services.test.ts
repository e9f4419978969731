import { serialize } from 'bson';
import { expect, test, vi } from 'vitest';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import { download } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { idNamed, importOnce, inChannel, messagesIn, PNG, written } from './imported.ts';

const AT = 1_704_189_600;

const linkIn = (content = '') => /\]\((\/user_uploads\/[^)]+)\)/.exec(content)?.[1] ?? '';

async function expectFile(server: TestServer, content: string | undefined, expected: string) {
  const { status, bytes } = await download(server, linkIn(content), { as: server.people.mel });
  expect(status).toBe(200);
  expect(bytes.toString()).toBe(expected);
}

test('slack: a zip comes in with threads, mentions, files, reactions and what is direct', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await written(
    {
      'users.json': [
        { id: 'U1', name: 'mel', profile: { real_name: 'Mel', email: 'mel@example.com' } },
        { id: 'U2', name: 'bob', profile: { real_name: 'Bob Beam' } },
      ],
      'channels.json': [
        { id: 'C1', name: 'tea', members: ['U1', 'U2'], purpose: { value: 'Leaves' } },
        { id: 'C2', name: 'attic', members: ['U1'], is_archived: true },
      ],
      'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
      'tea/2024-01-02.json': [
        {
          type: 'message',
          user: 'U2',
          ts: `${AT}.000100`,
          thread_ts: `${AT}.000100`,
          text: 'Which *milk*, <@U1>? <@U9> <!subteam^S9> <#C9> in <#C1|tea>',
          reactions: [
            { name: 'tada', users: ['U1', 'U2'] },
            { name: 'no-such-emoji', users: ['U1'] },
          ],
        },
        {
          type: 'message',
          user: 'U1',
          ts: `${AT + 20}.000100`,
          thread_ts: `${AT}.000100`,
          text: 'oat',
        },
        {
          type: 'message',
          user: 'U2',
          ts: `${AT + 30}.000100`,
          subtype: 'channel_join',
          text: 'joined',
        },
        {
          type: 'message',
          user: 'U1',
          ts: `${AT + 40}.000100`,
          text: '',
          files: [
            { id: 'F0000001', name: 'plan.txt' },
            {
              id: 'F0000002',
              name: 'away.txt',
              url_private: 'https://files.example.com/a?t=secret',
            },
          ],
        },
      ],
      'D1/2024-01-02.json': [
        { type: 'message', user: 'U2', ts: `${AT + 10}.000100`, text: 'psst' },
      ],
      '__uploads/F0000001/plan.txt': 'the plan',
    },
    'slack.zip',
  );
  const { report } = await importOnce(server, 'slack', path);
  expect(report[0]).toMatchObject({
    users: 1,
    users_matched: 1,
    channels: 2,
    messages: 4,
    files: 1,
  });
  expect(report).toContainEqual(expect.objectContaining({ left_out: 'file', name: 'away.txt' }));

  const bob = idNamed(server, 'Bob Beam');
  const tea = await inChannel(server, mel, 'tea');
  expect(tea.map(({ subject, timestamp }) => [subject, timestamp])).toEqual([
    ['Which milk, @Mel? in tea', AT],
    ['Which milk, @Mel? in tea', AT + 20],
    ['imported', AT + 40],
  ]);
  expect(tea[0]?.content).toBe(
    `Which **milk**, @**Mel Member|${mel.id}**? @U9 @S9 #C9 in #**tea**`,
  );
  expect(tea[0]?.sender_full_name).toBe('Bob Beam');
  expect(tea[0]?.flags).toContain('mentioned');
  expect(tea.every(({ flags }) => flags.includes('read'))).toBe(true);
  expect(tea[0]?.reactions.map(({ emoji_name, user_id }) => [emoji_name, user_id])).toEqual([
    ['tada', mel.id],
    ['tada', bob],
  ]);
  expect(tea[2]?.content).toMatch(
    /^\[plan\.txt\]\(\/user_uploads\/.*\)\s+\[away\.txt\]\(https:\/\/files\.example\.com\/a\)$/,
  );
  await expectFile(server, tea[2]?.content, 'the plan');
  const direct = await messagesIn(server, mel, [{ operator: 'dm', operand: [bob] }]);
  expect(direct.map(({ content }) => content)).toEqual(['psst']);
  // All of the archive is by time.
  expect(direct[0]?.id).toBeGreaterThan(tea[0]?.id ?? 0);
  expect(direct[0]?.id).toBeLessThan(tea[1]?.id ?? 0);
});

test('mattermost: a folder comes in with replies, mentions, files, reactions and flags', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const ms = AT * 1000;
  const user = (fields: object) => ({
    type: 'user',
    user: { teams: [{ name: 'core', channels: [{ name: 'town' }] }], ...fields },
  });
  const rows = [
    { type: 'version', version: 1 },
    { type: 'team', team: { name: 'core', display_name: 'Core', type: 'O' } },
    { type: 'channel', channel: { team: 'core', name: 'town', display_name: 'Town', type: 'O' } },
    user({ username: 'mel', email: 'mel@example.com' }),
    user({ username: 'bob', email: 'bob@example.com', first_name: 'Bob', last_name: 'Beam' }),
    {
      type: 'post',
      post: {
        team: 'core',
        channel: 'town',
        user: 'bob',
        message: 'Hi @mel, _see_ ~town ~nowhere @nobody',
        create_at: ms + 5_000,
        flagged_by: ['mel'],
        reactions: [{ user: 'mel', emoji_name: 'tada', create_at: ms + 6_000 }],
        attachments: [{ path: 'plan.txt' }, { path: 'seas/away.txt' }, { path: 'photo.png' }],
        replies: [{ user: 'mel', message: 'yes', create_at: ms + 9_000 }],
      },
    },
    {
      type: 'post',
      post: { team: 'core', channel: 'town', user: 'mel', message: 'early', create_at: ms },
    },
    {
      type: 'direct_post',
      direct_post: { channel_members: ['mel', 'bob'], user: 'bob', message: 'psst', create_at: ms },
    },
  ];
  const path = await written(
    {
      'import.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
      'data/plan.txt': 'the plan',
      'data/photo.png': PNG,
    },
    'mattermost',
  );
  const { report } = await importOnce(server, 'mattermost', path);
  expect(report[0]).toMatchObject({
    users: 1,
    users_matched: 1,
    channels: 1,
    messages: 4,
    files: 2,
  });

  const bob = idNamed(server, 'Bob Beam');
  const town = await inChannel(server, mel, 'Town');
  expect(town.map(({ timestamp }) => timestamp)).toEqual([AT, AT + 5, AT + 9]);
  expect(town[0]).toMatchObject({ subject: 'imported', content: 'early' });
  expect(town[2]?.subject).toBe(town[1]?.subject);
  expect(town[2]?.subject).not.toBe('imported');
  expect(town[1]?.content).toContain(
    `Hi @**Mel Member|${mel.id}**, *see* #**Town** ~nowhere @nobody`,
  );
  expect(town[1]?.flags).toEqual(expect.arrayContaining(['mentioned', 'read', 'starred']));
  expect(town[1]?.reactions).toMatchObject([{ emoji_name: 'tada', user_id: mel.id }]);
  await expectFile(server, town[1]?.content, 'the plan');
  // The name of a file that is missing stays, and an image is shown as a thumbnail in the end.
  expect(town[1]?.content).toMatch(/\n\naway\.txt\n\n\[photo\.png\]\(/);
  await server.advance(1);
  await vi.waitFor(async () => {
    const { body } = await server.get(mel, `/messages/${town[1]?.id}`);
    expect((body.message as { content: string }).content).toMatch(
      /<img [^>]*src="\/user_uploads\/thumbnail\/[^"]*photo\.png/,
    );
  });
  const direct = await messagesIn(server, mel, [{ operator: 'dm', operand: [bob] }]);
  expect(direct).toMatchObject([{ content: 'psst', sender_full_name: 'Bob Beam' }]);
});

test('rocketchat: a packed tar whose messages are in no order comes in by time', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const bson = (rows: readonly object[]) => Buffer.concat(rows.map((row) => serialize(row)));
  const at = (seconds: number) => new Date((AT + seconds) * 1000);
  const message = (id: string, seconds: number, fields: object = {}) => ({
    _id: id,
    rid: 'r1',
    msg: `text ${id}`,
    ts: at(seconds),
    u: { _id: 'u2', username: 'bob' },
    ...fields,
  });
  const path = await written(
    {
      'dump/rocketchat/users.bson': bson([
        { _id: 'u1', username: 'mel', name: 'Mel', emails: [{ address: 'mel@example.com' }] },
        { _id: 'u2', username: 'bob', name: 'Bob Beam', active: true },
      ]),
      'dump/rocketchat/rocketchat_room.bson': bson([
        { _id: 'r1', t: 'c', name: 'general-talk', ts: at(-9) },
        { _id: 'r2', t: 'd', uids: ['u1', 'u2'] },
        { _id: 'r3', t: 'p', name: 'xyz', fname: 'Which logo?', prid: 'r1' },
      ]),
      'dump/rocketchat/rocketchat_subscription.bson': bson([{ rid: 'r1', u: { _id: 'u1' } }]),
      'dump/rocketchat/rocketchat_message.bson': bson([
        message('m4', 40, { tmid: 'm1' }),
        message('m3', 30, { rid: 'r3' }),
        message('m5', 50, { msg: '', files: [{ _id: 'f1', name: 'plan.txt' }] }),
        message('m2', 20, { rid: 'r2' }),
        message('m1', 10, {
          msg: 'Hi @mel *bold* @nobody #nowhere',
          tcount: 1,
          reactions: { ':tada:': { usernames: ['mel', 'gone'] } },
        }),
      ]),
      'uploads/f1': 'the plan',
    },
    'rocketchat.tgz',
  );
  const { report } = await importOnce(server, 'rocketchat', path);
  expect(report[0]).toMatchObject({
    users: 1,
    users_matched: 1,
    channels: 1,
    messages: 5,
    files: 1,
  });

  const talk = await inChannel(server, mel, 'general-talk');
  expect(talk.map(({ timestamp, subject }) => [timestamp - AT, subject])).toEqual([
    [10, 'Hi @mel bold @nobody #nowhere'],
    [30, 'Which logo?'],
    [40, 'Hi @mel bold @nobody #nowhere'],
    [50, 'imported'],
  ]);
  expect(talk[0]?.content).toBe(`Hi @**Mel Member|${mel.id}** **bold** @nobody #nowhere`);
  expect(talk[0]?.reactions).toMatchObject([{ emoji_name: 'tada', user_id: mel.id }]);
  await expectFile(server, talk[3]?.content, 'the plan');
  const operand = [idNamed(server, 'Bob Beam')];
  const direct = await messagesIn(server, mel, [{ operator: 'dm', operand }]);
  expect(direct).toMatchObject([{ content: 'text m2', timestamp: AT + 20 }]);
});

test('discord: files of channels and threads come in with replies, files and emoji', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const ann = { id: '1', name: 'ann', nickname: 'Ann Ash', discriminator: '0001', isBot: false };
  const bob = { id: '2', name: 'bob', nickname: 'Bob Beam', discriminator: '0002', isBot: false };
  const message = (id: string, seconds: number, fields: object = {}) => ({
    id,
    type: 'Default',
    timestamp: new Date((AT + seconds) * 1000).toISOString(),
    content: `text ${id}`,
    author: ann,
    ...fields,
  });
  const channel = (messages: readonly unknown[], fields: object = {}) => ({
    guild: { id: '9', name: 'Guild' },
    channel: { id: '10', type: 'GuildTextChat', name: 'lounge', topic: 'All', ...fields },
    messages,
  });
  const path = await written(
    {
      'a.json': channel([
        message('100', 10, { content: 'Hi <@2> __loud__ <@3> <@&4> <#5> <#11>', mentions: [bob] }),
        message('102', 30, {
          type: 'Reply',
          reference: { messageId: '100' },
          author: bob,
          content: 'yes',
          attachments: [{ id: '1', url: 'files/plan.txt', fileName: 'plan.txt' }],
          reactions: [
            { emoji: { id: '', name: '🎉' }, users: [ann, bob] },
            { emoji: { id: '7', name: 'Party', imageUrl: 'files/party.png' }, users: [ann] },
          ],
        }),
      ]),
      'b.json': channel([message('101', 20)], {
        id: '11',
        type: 'GuildPublicThread',
        categoryId: '10',
        category: 'lounge',
        name: 'Which logo?',
      }),
      'c.json': channel([message('120', 40), message('121', 41, { author: bob })], {
        id: '12',
        type: 'DirectTextChat',
      }),
      'files/plan.txt': 'the plan',
      'files/party.png': PNG,
    },
    'discord.zip',
  );
  const { report } = await importOnce(server, 'discord', path);
  expect(report[0]).toMatchObject({ users: 2, channels: 1, messages: 5, files: 1 });

  const [annId, bobId] = [idNamed(server, 'Ann Ash'), idNamed(server, 'Bob Beam')];
  await server.perform((tx) => {
    // The channel is private: the export does not say who may read it.
    const [row] = [...tx.channels.range({})].filter(([, { name }]) => name === 'lounge');
    expect(row?.[1].isPrivate).toBe(true);
  });
  expect((await inChannelAs(server, ada.id)).map(({ subject }) => subject)).toEqual([
    'imported',
    'Which logo?',
    'imported',
  ]);
  const [first, , reply] = await inChannelAs(server, ada.id);
  expect(first?.content).toBe(
    `Hi @**Bob Beam|${bobId}** **loud** @unknown-user @unknown-role #unknown-channel ` +
      '#**lounge>Which logo?**',
  );
  expect(reply?.content).toContain(`@_**Ann Ash|${annId}**:\n> Hi`);
  const stored = Array.from(
    server.app.realms.named('test')?.reader.reactions.range({}) ?? [],
    ([[messageId, , , userId], { emojiName }]) => [messageId, emojiName, userId],
  );
  expect(stored).toEqual(
    expect.arrayContaining([
      [reply?.id, 'party_popper', annId],
      [reply?.id, 'party_popper', bobId],
    ]),
  );
});

/** Subscribes an account to the channel of Discord, and reads it. */
async function inChannelAs(server: TestServer, userId: number) {
  const { ada } = server.people;
  expect(ada.id).toBe(userId);
  await server.perform((tx, site) => {
    const user = tx.users.get([userId]);
    const channel = [...tx.channels.range({})].find(([, { name }]) => name === 'lounge')?.[1];
    if (user === undefined || channel === undefined) throw new Error('there is no lounge');
    subscriptions.join(tx, { user, site }, [channel]);
  });
  return await inChannel(server, ada, 'lounge');
}
