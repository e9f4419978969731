import { expect, test } from 'vitest';
import {
  UNFINISHED_UPLOAD_MS_MAX,
  UNFINISHED_UPLOADS_PER_USER_MAX,
} from '../../../src/domain/limits/files.ts';
import * as resumableUploads from '../../../src/operations/files/resumable-uploads.ts';
import { gone, LOCATION, listed, rows, send } from '../../support/files/resumable.ts';
import { begun, offsetOf, part } from '../../support/files/tus.ts';
import { download, upload } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MIB = 1024 * 1024;

test('an upload that gets no more bytes for a day expires, and is forgotten a day later', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  await server.set('upload_quota_mib', 1);
  const path = await begun(port, mel, { length: MIB });
  await server.leap(UNFINISHED_UPLOAD_MS_MAX - 1);
  const reply = await part(port, mel, { path, offset: 0, body: 'hello' });
  expect(reply.headers['upload-expires']).toBe(
    new Date(server.clock.now() + UNFINISHED_UPLOAD_MS_MAX).toUTCString(),
  );
  await server.leap(UNFINISHED_UPLOAD_MS_MAX - 1);
  expect(await offsetOf(port, mel, path)).toBe(5);
  await server.advance(1);
  const late = await part(port, mel, { path, offset: 5, body: 'x' });
  expect([late.status, late.body?.['code']]).toEqual([410, 'RESUMABLE_UPLOAD_REFUSED']);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(410);
  await gone(server);
  expect((await upload(server, mel, { content: Buffer.alloc(MIB) })).status).toBe(200);
  await server.leap(UNFINISHED_UPLOAD_MS_MAX);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(404);
  expect(await rows(server)).toEqual([]);
});

test('a finished upload is forgotten in a day, and its file stays', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 5 });
  const { body } = await part(port, mel, { path, offset: 0, body: 'hello' });
  await server.leap(UNFINISHED_UPLOAD_MS_MAX);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(404);
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'hello',
  );
});

test('what is begun counts to the quota before it is there, for every way of uploading', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const { port } = server.app;
  await server.set('upload_quota_mib', 1);
  const begin = (length: number) =>
    send(server, { method: 'POST', as: max, headers: { 'upload-length': String(length) } });
  const path = await begun(port, mel, { length: MIB - 3 });
  const over = await begin(4);
  expect([over.status, over.body?.['code']]).toEqual([400, 'REALM_UPLOAD_QUOTA']);
  expect((await upload(server, max, { content: 'four' })).body.code).toBe('REALM_UPLOAD_QUOTA');
  expect((await begin(3)).status).toBe(201);
  expect((await begin(1)).status).toBe(400);
  expect((await listed(server)).upload_space_used).toBe(0);
  // An upload that has begun may end, whatever the quota is by then.
  await server.set('upload_quota_mib', 0);
  expect((await part(port, mel, { path, offset: 0, body: Buffer.alloc(MIB - 3) })).status).toBe(
    200,
  );
  expect((await listed(server)).upload_space_used).toBe(MIB - 3);
  await server.set('upload_quota_mib', 1);
  expect((await begin(1)).status).toBe(400);
});

test('a user has so many unfinished uploads, and others have theirs', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.perform((tx) => fill(tx, mel.id, UNFINISHED_UPLOADS_PER_USER_MAX - 1));
  const begin = (as: typeof mel) =>
    send(server, { method: 'POST', as, headers: { 'upload-length': '5' } });
  const last = await begin(mel);
  expect(last.status).toBe(201);
  const refused = await begin(mel);
  expect([refused.status, refused.body?.['msg']]).toEqual([400, 'Too many unfinished uploads']);
  expect((await begin(max)).status).toBe(201);
  const path = last.headers.location ?? '';
  expect((await part(server.app.port, mel, { path, offset: 0, body: 'hello' })).status).toBe(200);
  expect((await begin(mel)).status).toBe(201);
});

test('ten thousand unfinished uploads end in steps, each of a few', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.perform((tx) => {
    for (let user = 1_000; user < 1_100; user++) fill(tx, user, UNFINISHED_UPLOADS_PER_USER_MAX);
    expect(resumableUploads.due(tx, tx.now + UNFINISHED_UPLOAD_MS_MAX)).toHaveLength(100);
  });
  expect(await begun(server.app.port, mel, { length: 5 })).toEqual(LOCATION);
  await server.perform((tx) => {
    let steps = 0;
    const later = tx.now + UNFINISHED_UPLOAD_MS_MAX;
    const times = () => resumableUploads.due(tx, later).filter(([until]) => until <= later);
    const standing = ([, id]: [number, string]) => tx.resumableUploads.get([id])?.standing;
    for (let due = times(); due.some((key) => standing(key) === 'unfinished'); due = times()) {
      for (const key of due) resumableUploads.end({ ...tx, now: later }, key);
      steps += 1;
    }
    expect(steps).toBe(101);
    expect(tx.uploadSpace.get(['space'])).toEqual({ bytes: 0, promised: 0 });
  });
});

type Transaction = Parameters<Parameters<TestServer['perform']>[0]>[0];

function fill(tx: Transaction, userId: number, count: number) {
  const user = tx.users.get([1]);
  if (user === undefined) throw new Error('nobody is there');
  for (let index = 0; index < count; index++) {
    const id = `ab${String(userId * 1_000 + index).padStart(24, '0')}`;
    resumableUploads.create(tx, { ...user, id: userId }, { id, length: 5, metadata: '' });
  }
}
