import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { filled } from '../../../client/src/requests.ts';
import { Attached, type Finished } from '../../../web/app/store/compose/attached.ts';
import { ComposeStore } from '../../../web/app/store/compose/compose-store.ts';
import type { Destination } from '../../../web/app/store/compose/destination.ts';
import type { FileKeep, KeptFile } from '../../../web/app/store/compose/kept-files.ts';
import type { Upload, UploadSend } from '../../../web/app/store/compose/uploads.ts';
import type { Directory } from '../../../web/app/store/feed/directory.ts';
import type { Params } from '../../../web/app/store/feed/message.ts';
import { basic } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const BYTES = 1_700_000;
const LUNCH: Destination = { type: 'channel', channelId: 1, topic: 'lunch' };
const DINNER: Destination = { type: 'channel', channelId: 1, topic: 'dinner' };

function fileOf(bytes: number, name = 'menu [new].txt') {
  const content = Buffer.alloc(bytes, 'soup ');
  const blob = new Blob([content]);
  const slice = (from: number, to: number) => blob.slice(from, to);
  return { content, file: { name, type: 'text/plain', size: bytes, slice } };
}

/** Sends to the server; each part is asked of `passes` first, and fails where that says no. */
const lineTo =
  (server: TestServer, passes: (method: string) => boolean): UploadSend =>
  async (method, path, { headers = {}, body, signal: ended }) => {
    if (ended.aborted || !passes(method)) throw new Error('The line is broken');
    const reply = await server.request(method, path.replace('/api/v1', ''), {
      headers: { ...headers, authorization: basic(server.people.mel) },
      ...(body === undefined ? {} : { body: Buffer.from(await body.arrayBuffer()) }),
    });
    return {
      status: reply.status,
      header: (name) => String(reply.headers[name.toLowerCase()] ?? '') || null,
      json: async () => reply.body,
    };
  };

/** Keeps files in memory, as a browser keeps them on its disk. */
function memory(): FileKeep & { readonly kept: Map<string, KeptFile> } {
  const kept = new Map<string, KeptFile>();
  return {
    kept,
    put: async (file) => void kept.set(file.id, file),
    remove: async (id) => void kept.delete(id),
    restore: (take) => [...kept.values()].forEach(take),
  };
}

/** A page of Mel: its field, and the files that are attached to what is in it. */
function openPage(server: TestServer, keep: FileKeep, sendPart: UploadSend) {
  const calls = {
    async call(method: string, path: string, params: Params = {}) {
      const request = { method, ...filled(path, params) } as Parameters<typeof server.ask>[1];
      const { status, body } = await server.ask(server.people.mel, request);
      if (status !== 200) throw new Error(body.msg);
      return body;
    },
  };
  const sent: object[] = [];
  const directory = { ownId: server.people.mel.id } as Directory;
  const store = new ComposeStore({
    calls,
    directory,
    send: (message) => sent.push(message),
    sendPart,
    keepFiles: async () => keep,
  });
  store.write(LUNCH);
  return { store, sent };
}

const until = async (is: () => boolean) => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const draftsOf = async (server: TestServer) => {
  const { body } = await server.get(server.people.mel, '/drafts');
  return body.drafts as { content: string; topic: string }[];
};

test('a file goes on after the page was loaded again, from where it was, and is linked once', async () => {
  const server = await startServer({ channels: ['general'] });
  const keep = memory();
  let parts = 0;
  const first = openPage(
    server,
    keep,
    lineTo(server, (method) => method !== 'PATCH' || ++parts <= 2),
  );
  await first.store.attach([fileOf(BYTES).file]);
  await until(() => parts > 2);
  // The page is left; another one begins with what was kept.
  for (const upload of first.store.uploads.value) upload.pause();
  expect([...keep.kept.values()]).toMatchObject([{ to: LUNCH, isPaused: false }]);
  const methods: string[] = [];
  const second = openPage(
    server,
    keep,
    lineTo(server, (method) => methods.push(method) > 0),
  );
  await second.store.restoreFiles();
  expect(second.store.canSend).toBe(false);
  await until(() => second.store.text.value !== '');
  // It asked how much was there, and sent the two parts that were missing.
  expect(methods).toEqual(['HEAD', 'PATCH', 'PATCH']);
  expect(second.store.text.value).toMatch(/^\[menu {2}new \.txt\]\(\/user_uploads\/.*\)\n$/);
  await until(() => keep.kept.size === 0);
  expect(await draftsOf(server)).toMatchObject([{ topic: 'lunch' }]);
  const { body } = await server.get(server.people.mel, '/attachments');
  expect(body.attachments).toMatchObject([{ size: BYTES }]);
});

test('a file that was finished as the page was left is linked by the next one, and not twice', async () => {
  const server = await startServer({ channels: ['general'] });
  const keep = memory();
  const uploads = signal<readonly Upload[]>([]);
  const links: Finished[] = [];
  const send = lineTo(server, () => true);
  // The text did not reach the server any more.
  const link = async (_: Destination, done: Finished) => {
    links.push(done);
    return false;
  };
  const attached = new Attached({ uploads, send, keep, link });
  attached.add([fileOf(700_000).file], LUNCH);
  await until(() => links.length === 1);
  const [record] = keep.kept.values();
  if (record === undefined) expect.fail('it is kept until its link is');
  const { store } = openPage(server, keep, send);
  await store.restoreFiles();
  await until(() => store.text.value !== '');
  expect(store.text.value).toContain(links[0]?.url);
  await until(() => keep.kept.size === 0);
  // The same once more, as after a crash between the draft and the removal.
  const again = memory();
  await again.put(record);
  const other = openPage(server, again, send);
  other.store.setText(store.text.value);
  await other.store.restoreFiles();
  await until(() => again.kept.size === 0);
  expect(other.store.text.value).toBe(store.text.value);
});

test('a paused file stays paused after the page was loaded again', async () => {
  const server = await startServer({ channels: ['general'] });
  const keep = memory();
  const send = lineTo(server, (method) => method !== 'PATCH');
  const first = openPage(server, keep, send);
  await first.store.attach([fileOf(BYTES).file]);
  await until(() => first.store.uploads.value[0]?.path !== null);
  const [upload] = first.store.uploads.value;
  if (upload === undefined) expect.fail('it is there');
  await first.store.changeUpload(upload, 'pause');
  const second = openPage(
    server,
    keep,
    lineTo(server, () => true),
  );
  await second.store.restoreFiles();
  const [restored] = second.store.uploads.value;
  if (restored === undefined) expect.fail('it is there');
  expect(restored.state.value.kind).toBe('paused');
  await second.store.changeUpload(restored, 'resume');
  await until(() => second.store.uploads.value.length === 0);
  expect(second.store.text.value).toContain('/user_uploads/');
});

test('a file belongs to its conversation: it is linked there, and holds back no other message', async () => {
  const server = await startServer({ channels: ['general'] });
  const keep = memory();
  let isOpen = false;
  const { store } = openPage(
    server,
    keep,
    lineTo(server, (method) => method !== 'PATCH' || isOpen),
  );
  await store.attach([fileOf(10).file]);
  store.setText('The menu');
  expect(store.canSend).toBe(false);
  store.write(DINNER);
  store.setText('What about dinner?');
  expect(store.filesHere).toEqual([]);
  expect(store.canSend).toBe(true);
  isOpen = true;
  await until(() => store.uploads.value.length === 0);
  expect(store.text.value).toBe('What about dinner?');
  await until(() => keep.kept.size === 0);
  expect((await draftsOf(server)).find(({ topic }) => topic === 'lunch')?.content).toMatch(
    /^The menu\n\[.*\]\(\/user_uploads\/.*\)$/,
  );
});

test('a file goes along with a text that is sent elsewhere; one that is removed is forgotten', async () => {
  const server = await startServer({ channels: ['general'] });
  const keep = memory();
  const { store } = openPage(
    server,
    keep,
    lineTo(server, () => false),
  );
  await store.attach([fileOf(10).file, fileOf(20, 'other.txt').file]);
  store.setText('The menu');
  store.setDestination(DINNER);
  await until(() => store.filesHere.length === 2);
  expect([...keep.kept.values()].map(({ to }) => to)).toEqual([DINNER, DINNER]);
  for (const upload of store.filesHere) await store.changeUpload(upload, 'remove');
  expect(store.uploads.value).toEqual([]);
  await until(() => keep.kept.size === 0);
  expect(store.canSend).toBe(true);
});
