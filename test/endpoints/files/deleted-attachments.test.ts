import { expect, test } from 'vitest';
import {
  ATTACHMENT_MESSAGES_LISTED_MAX,
  ATTACHMENT_ROWS_LISTED_MAX,
  ATTACHMENT_UNUSED_MS_MAX,
} from '../../../src/domain/limits/files.ts';
import * as attachments from '../../../src/operations/files/attachments.ts';
import { files, idsOf, send, someMoments } from '../../support/files/attachments.ts';
import { storedFiles, uploaded } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const start = () => startServer({ channels: ['general'] });

test('a file that nothing links goes after two weeks, with its bytes; one that was linked begins anew', async () => {
  const server = await start();
  const { ona, mel } = server.people;
  const [, url] = [await uploaded(server, mel), await uploaded(server, mel)];
  const id = await send(server, mel, `[file](${url})`);
  await server.restart(ATTACHMENT_UNUSED_MS_MAX - 1_000);
  await someMoments(server);
  expect(await idsOf(server, mel)).toEqual([2, 1]);
  await server.advance(1_000);
  await someMoments(server);
  expect(await idsOf(server, mel)).toEqual([2]);
  expect((await server.get(mel, '/attachments')).body.upload_space_used).toBe(5);
  await gone(server, 1);

  await server.delete(ona, `/messages/${id}`);
  await server.restart(ATTACHMENT_UNUSED_MS_MAX - 1_000);
  await someMoments(server);
  expect(await idsOf(server, mel)).toEqual([2]);
  await server.advance(1_000);
  await someMoments(server);
  expect((await server.get(mel, '/attachments')).body).toMatchObject({
    attachments: [],
    upload_space_used: 0,
  });
  await gone(server, 0);
  expect(server.bugs).toEqual([]);
});

test('a list has so many files and messages together, the newest files', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const each = 1 + ATTACHMENT_MESSAGES_LISTED_MAX;
  const files = Math.floor(ATTACHMENT_ROWS_LISTED_MAX / each);
  const add = (who: Person, count: number) =>
    server.perform((tx) => {
      const user = tx.users.get([who.id]) ?? expect.fail();
      for (let index = 0; index < count; index++) {
        const pathId = `1/ab/${String(who.id * 1_000_000 + index).padStart(24, '0')}/f.txt`;
        const file = { pathId, name: 'f.txt', size: 1, contentType: 'text/plain', image: null };
        const id = attachments.add(tx, user, file);
        for (let message = 1; message < each; message++) {
          tx.attachmentUses.put([id, 'message', message], { sentAt: 1 });
        }
      }
    });
  const listed = async (as: Person) =>
    (await server.get(as, '/attachments')).body.attachments.map(({ id }: { id: number }) => id);
  await add(mel, files);
  expect(await listed(mel)).toHaveLength(files);
  await add(max, 1);
  expect(await listed(max)).toEqual([files + 1]);
  await server.perform((tx) => {
    const user = tx.users.get([mel.id]) ?? expect.fail();
    const pathId = `1/ac/${'0'.repeat(24)}/f.txt`;
    const file = { pathId, name: 'f.txt', size: 1, contentType: 'text/plain', image: null };
    for (let message = 1; message < each; message++) {
      tx.attachmentUses.put([files + 2, 'message', message], { sentAt: 1 });
    }
    attachments.add(tx, user, file);
  });
  const ids = await listed(mel);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([files, files + 2, 2]);
});

/** Waits until so many files are left on disk: they go after the commit that forgets them. */
async function gone(server: TestServer, left: number) {
  while (storedFiles(server.data).length > left) await server.advance(1);
  expect(storedFiles(server.data)).toHaveLength(left);
}

test('an own file is deleted with its bytes, whatever links it; others’ are as if they were not there', async () => {
  const server = await start();
  const { ona, mel } = server.people;
  const url = await uploaded(server, mel);
  const id = await send(server, mel, `[file](${url})`);
  const queue = await server.register(mel, files);
  for (const [as, attachmentId] of [
    [ona, 1],
    [mel, 2],
    [mel, 0],
    [mel, -1],
    [mel, Number.MAX_SAFE_INTEGER],
  ] as const) {
    expect(await server.delete(as, `/attachments/${attachmentId}`)).toMatchObject({
      status: 400,
      body: { result: 'error', code: 'BAD_REQUEST' },
    });
  }
  expect(await server.delete(mel, '/attachments/x')).toMatchObject({ status: 400 });
  expect(await server.delete(mel, '/attachments/1')).toMatchObject({ status: 200 });
  expect(await queue.next()).toEqual([
    {
      id: queue.lastEventId,
      type: 'attachment',
      op: 'remove',
      attachment: { id: 1 },
      upload_space_used: 0,
    },
  ]);
  await gone(server, 0);
  // The message is unchanged; editing and deleting it finds no file to let go.
  const edited = await server.patch(mel, `/messages/${id}`, { content: 'gone' });
  expect(edited.body.detached_uploads).toEqual([]);
  expect(await queue.now()).toEqual([]);
});
