import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { WireEvent } from '../../support/client.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { startProcess } from '../../support/processes/start-process.ts';

// The path of one message through all that is compiled: sockets, store, locks, hashes of passwords
// and pictures. `.ci/nodes` runs it with each version of Node that package.json names.

const hello = (content: string) => ({ type: 'channel', to: 'general', topic: 'smoke', content });

const MESSAGES = { event_types: ['message'], apply_markdown: true };

test('a message reaches a poll and a socket, and after SIGKILL both go on where they were', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const max = server.people['max'] ?? expect.fail();
  const polled = await server.register(max, MESSAGES);
  const heard = await server.register(max, MESSAGES);
  const attach = (lastEventId: number) =>
    server.socket(max, { query: `?queue_id=${heard.id}&last_event_id=${lastEventId}` });
  const contents = (events: readonly WireEvent[]) => events.map(({ message }) => message.content);

  const first = await attach(heard.lastEventId);
  await first.frame('hello');
  expect((await server.post(mel, '/messages', hello('before'))).status).toBe(200);
  expect(contents(await polled.next())).toEqual(['<p>before</p>']);
  const { events } = await first.frame('events');
  expect(contents(events)).toEqual(['<p>before</p>']);

  await server.kill();
  expect((await server.post(mel, '/messages', hello('after'))).status).toBe(200);
  expect(contents(await polled.next())).toEqual(['<p>after</p>']);
  const again = await attach(events[0].id);
  expect(await again.frame('hello')).toMatchObject({ resumed: true });
  expect(contents((await again.frame('events'))['events'])).toEqual(['<p>after</p>']);
});

test('somebody logs in with a password, and a picture becomes a thumbnail', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const { users } = JSON.parse(
    readFileSync(join(server.data, 'demo-credentials.json'), 'utf8'),
  ) as {
    users: readonly { readonly email: string; readonly password: string | null }[];
  };
  const password = users.find(({ email }) => email === mel.email)?.password;
  const login = { username: mel.email, password };
  expect(await server.post(null, '/fetch_api_key', login)).toMatchObject({
    status: 200,
    body: { email: mel.email },
  });

  const picture = sharp({ create: { width: 1200, height: 800, channels: 3, background: '#2a6' } });
  const url = await uploaded(server, mel, {
    content: await picture.png().toBuffer(),
    filename: 'green.png',
    contentType: 'image/png',
  });
  const { body } = await server.post(mel, '/messages', hello(`[green](${url})`));
  const content = async () => (await server.get(mel, `/messages/${body.id}`)).body.message.content;
  await expect.poll(content).toContain('/user_uploads/thumbnail/');
});
