import { expect, test } from 'vitest';
import {
  ATTACHMENT_MESSAGES_LISTED_MAX,
  ATTACHMENT_UNUSED_MS_MAX,
  ATTACHMENTS_PER_MESSAGE_MAX,
} from '../../../src/domain/limits/files.ts';
import { files, idsOf, linked, send, someMoments } from '../../support/files/attachments.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const start = () => startServer({ channels: ['general'] });

test('a message that links a file is listed with it, and its owner hears of it after the message', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel);
  const queue = await server.register(mel);
  const other = await server.register(max, { apply_markdown: true });
  const id = await send(server, mel, `See [the file](${url}) and [again](${url}).`);
  const messages = [{ id, date_sent: Math.floor(server.clock.now() / 1000) * 1000 }];
  const { attachments } = (await server.get(mel, '/attachments')).body;
  expect(attachments).toMatchObject([{ id: 1, name: 'file.txt', size: 5, messages }]);
  const events = await queue.next();
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message', 'attachment']);
  expect(events.at(-1)).toEqual({
    id: queue.lastEventId,
    type: 'attachment',
    op: 'update',
    attachment: attachments[0],
    upload_space_used: 5,
  });
  const heard = await other.now();
  expect(heard.map(({ type }) => type)).not.toContain('attachment');
  expect(heard.at(-1)?.['message'].content).toContain(`<a href="${url}">the file</a>`);
});

test.each<{ why: string; content: (url: string, server: TestServer) => string; is: boolean }>([
  { why: 'by its path', content: (url) => `[file](${url})`, is: true },
  {
    why: 'by its path, encoded',
    content: (url) => `[file](${url.replace('_u', '%5Fu')})`,
    is: false,
  },
  {
    why: 'at the host that the client uses',
    content: (url, { app }) => `http://test.localhost:${app.port}${url}`,
    is: true,
  },
  { why: 'at the realm’s own host', content: (url) => `https://test.localhost${url}`, is: true },
  { why: 'at another host', content: (url) => `https://files.example.com${url}`, is: false },
  { why: 'as text', content: (url) => url, is: false },
  { why: 'as code', content: (url) => `\`[file](${url})\``, is: false },
  { why: 'with a query', content: (url) => `[file](${url}?x=1#y)`, is: true },
  { why: 'a path that is longer', content: (url) => `[file](${url}x)`, is: false },
  { why: 'a path that is not UTF-8', content: (url) => `[file](${url}%ff)`, is: false },
])('a link to a file is one by its path, or at the realm: $why', async ({ content, is }) => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: 'x', filename: 'müll eimer.txt' });
  const id = await send(server, mel, content(url, server));
  expect(await linked(server, mel)).toEqual([is ? [id] : []]);
});

test('an edit gives the files of the editor that nothing links any more, and no others', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const [one, two] = [await uploaded(server, mel), await uploaded(server, mel)];
  const theirs = await uploaded(server, max);
  await send(server, max, `[theirs](${theirs})`);
  const kept = await send(server, mel, `[two](${two})`);
  const content = `[one](${one}) [two](${two}) [theirs](${theirs})`;
  const id = await send(server, mel, content);
  const queue = await server.register(mel, files);

  const unchanged = await server.patch(mel, `/messages/${id}`, { content: `${content}!` });
  expect(unchanged.body.detached_uploads).toEqual([]);
  const { body } = await server.patch(mel, `/messages/${id}`, { content: 'nothing' });

  const { body: list } = await server.get(mel, '/attachments');
  expect(body.detached_uploads).toEqual([
    {
      id: 1,
      name: 'file.txt',
      path_id: one.slice('/user_uploads/'.length),
      size: 5,
      create_time: server.clock.now(),
      messages: [],
    },
  ]);
  expect(
    list.attachments.map((file: { id: number; messages: { id: number }[] }) => [
      file.id,
      file.messages.map((message) => message.id),
    ]),
  ).toEqual([
    [2, [kept]],
    [1, []],
  ]);
  const events = await queue.now();
  expect(
    events.map(({ op, attachment }) => [op, attachment.id, attachment.messages.length]),
  ).toEqual([
    ['update', 1, 0],
    ['update', 2, 1],
  ]);
  expect(await linked(server, max)).toEqual([[kept - 1]]);
});

test('an edit that moves as well, and one that links a file for the first time', async () => {
  const server = await start();
  const { mel } = server.people;
  const [one, two] = [await uploaded(server, mel), await uploaded(server, mel)];
  const id = await send(server, mel, `[one](${one})`);
  const { body } = await server.patch(mel, `/messages/${id}`, {
    content: `[two](${two})`,
    topic: 'moved',
    propagate_mode: 'change_all',
  });
  expect(body.detached_uploads.map((file: { id: number }) => file.id)).toEqual([1]);
  expect(await linked(server, mel)).toEqual([[id], []]);
  const moved = await server.patch(mel, `/messages/${id}`, { topic: 'moved again' });
  expect(moved.body.detached_uploads).toEqual([]);
  expect(await linked(server, mel)).toEqual([[id], []]);
});

test('who may not read a file opens it to nobody', async () => {
  const server = await start();
  const { mel, max, gus } = server.people;
  const url = await uploaded(server, mel);
  const queue = await server.register(mel, files);
  await send(server, max, `[guessed](${url})`);
  expect(await linked(server, mel)).toEqual([[]]);
  const toMax = await send(server, mel, `[file](${url})`, { type: 'direct', to: [max.id] });
  await send(server, gus, `[guessed](${url})`);
  expect(await linked(server, mel)).toEqual([[toMax]]);
  // Max has been shown the file, and may pass it on, also by an edit.
  const on = await send(server, max, 'later');
  await server.patch(max, `/messages/${on}`, { content: `[passed on](${url})` });
  expect(await linked(server, mel)).toEqual([[toMax, on]]);
  const forGus = await send(server, gus, `[file](${url})`);
  expect(await linked(server, mel)).toEqual([[toMax, on, forGus]]);
  expect((await queue.now()).map(({ op }) => op)).toEqual(['update', 'update', 'update']);
});

test('deleted messages link nothing, one event for each file', async () => {
  const server = await start();
  const { ona, mel } = server.people;
  const url = await uploaded(server, mel);
  const ids = [];
  for (const topic of ['one', 'two', 'two']) {
    ids.push(await send(server, mel, `[file](${url})`, { topic }));
  }
  const queue = await server.register(mel, files);
  expect((await server.delete(ona, `/messages/${ids[0]}`)).status).toBe(200);
  expect(await linked(server, mel)).toEqual([ids.slice(1)]);
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'general' });
  const deletion = await server.post(ona, `/streams/${body.stream_id}/delete_topic`, {
    topic_name: 'two',
  });
  expect(deletion.body.complete).toBe(true);
  expect(await linked(server, mel)).toEqual([[]]);
  expect((await queue.now()).map(({ op, attachment }) => [op, attachment.messages.length])).toEqual(
    [
      ['update', 2],
      ['update', 0],
    ],
  );
});

test('a file of a message that is to be sent is kept until then, and linked by what is sent', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel);
  const { body: channel } = await server.get(mel, '/get_stream_id', { stream: 'general' });
  const dueAt = Math.floor((server.clock.now() + 2 * ATTACHMENT_UNUSED_MS_MAX) / 1000);
  await server.post(mel, '/scheduled_messages', {
    type: 'channel',
    to: channel.stream_id,
    topic: 'later',
    content: `[file](${url})`,
    scheduled_delivery_timestamp: dueAt,
  });
  await server.restart(ATTACHMENT_UNUSED_MS_MAX + 1_000);
  await someMoments(server);
  expect(await linked(server, mel)).toEqual([[]]);
  await server.restart(ATTACHMENT_UNUSED_MS_MAX);
  await someMoments(server);
  const [[id]] = await linked(server, mel);
  expect((await server.get(mel, `/messages/${id}`)).body.message.subject).toBe('later');
  expect(server.bugs).toEqual([]);
});

test('a scheduled message that is changed or removed lets its file go', async () => {
  const server = await start();
  const { mel } = server.people;
  const [one, two] = [await uploaded(server, mel), await uploaded(server, mel)];
  const { body } = await server.post(mel, '/scheduled_messages', {
    type: 'direct',
    to: [mel.id],
    content: `[one](${one})`,
    scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + 10_000_000,
  });
  const path = `/scheduled_messages/${body.scheduled_message_id}`;
  await server.patch(mel, path, { content: `[two](${two})` });
  await server.restart(ATTACHMENT_UNUSED_MS_MAX);
  await someMoments(server);
  expect(await idsOf(server, mel)).toEqual([2]);
  await server.delete(mel, path);
  await server.restart(ATTACHMENT_UNUSED_MS_MAX);
  await someMoments(server);
  expect(await idsOf(server, mel)).toEqual([]);
});

test('a message claims fifty files, and what it links besides stays as it is', async () => {
  const server = await start();
  const { mel } = server.people;
  const links: string[] = [];
  await server.perform((tx) => {
    for (let count = 1; count <= ATTACHMENTS_PER_MESSAGE_MAX + 1; count++) {
      const pathId = `1/ab/${'x'.repeat(20)}${String(count).padStart(4, '0')}/a`;
      const id = tx.nextId('attachment');
      tx.attachments.put([id], {
        ownerId: mel.id,
        pathId,
        name: 'a',
        size: 0,
        contentType: 'text/plain',
        createdAt: tx.now,
        unusedUntil: null,
        image: null,
      });
      tx.attachmentPaths.put([pathId], { attachmentId: id });
      tx.userAttachments.put([mel.id, id], {});
      links.push(`[a](/user_uploads/${pathId})`);
    }
  });
  const id = await send(server, mel, links.join(' '));
  expect((await linked(server, mel)).reverse()).toEqual([
    ...Array.from({ length: ATTACHMENTS_PER_MESSAGE_MAX }, () => [id]),
    [],
  ]);
});

test('a file is listed with the first messages that link it; others open it as well, and nothing is told of them', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel);
  const ids: number[] = [];
  for (let count = 0; count < ATTACHMENT_MESSAGES_LISTED_MAX; count++) {
    ids.push(await send(server, mel, `[file](${url})`, { type: 'direct', to: [mel.id] }));
  }
  expect(await linked(server, mel)).toEqual([ids]);
  const queue = await server.register(mel, files);
  const open = await send(server, mel, `[one more](${url})`);
  expect(await queue.now()).toEqual([]);
  expect(await linked(server, mel)).toEqual([ids]);
  expect((await download(server, url, { as: max })).status).toBe(200);
  await server.delete(mel, `/messages/${ids[0]}`);
  expect((await queue.now()).map(({ type, op }) => [type, op])).toEqual([['attachment', 'update']]);
  expect(await linked(server, mel)).toEqual([[...ids.slice(1), open]]);
  await server.patch(mel, `/messages/${open}`, { content: 'nothing' });
  expect(await queue.now()).toHaveLength(1);
  expect((await download(server, url, { as: max })).status).toBe(403);
});

test('messages that link files are found by has:attachment, however they link them', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel);
  const ids = [
    await send(server, mel, `[file](${url})`),
    await send(server, mel, `http://test.localhost:${server.app.port}${url}`),
  ];
  await send(server, mel, url);
  const { body } = await server.get(mel, '/messages', {
    anchor: 'oldest',
    num_after: 10,
    narrow: [['has', 'attachment']],
  });
  expect(body.messages.map(({ id }: { id: number }) => id)).toEqual(ids);
});
