import { expect, test } from 'vitest';
import { Upload, type UploadSend } from '../../../web/app/store/compose/uploads.ts';
import { basic } from '../../support/client.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { startServer } from '../../support/start-server.ts';

const BYTES = 1_700_000;

/** A file whose every byte matters. */
function fileOf(bytes: number, name = 'notes ü.txt') {
  const content = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at++) content[at] = (at * 7 + (at >> 8)) % 251;
  const blob = new Blob([content]);
  return {
    content,
    file: {
      name,
      type: 'text/plain',
      size: bytes,
      slice: (from: number, to: number) => blob.slice(from, to),
    },
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Sends to the server as a browser would, over a line that a test may break. */
function lineTo(server: Server, breaks: () => 'before' | 'after' | null): UploadSend {
  return async (method, path, { headers = {}, body, signal }) => {
    const isBroken = breaks();
    if (isBroken === 'before') throw new Error('The line is broken');
    const reply = await server.request(method, path.replace('/api/v1', ''), {
      headers: { ...headers, authorization: basic(server.people.mel) },
      ...(body === undefined ? {} : { body: Buffer.from(await body.arrayBuffer()) }),
    });
    if (isBroken === 'after' || signal.aborted) throw new Error('The line is broken');
    return {
      status: reply.status,
      header: (name) => String(reply.headers[name.toLowerCase()] ?? '') || null,
      json: async () => reply.body,
    };
  };
}

const until = async (is: () => boolean) => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a file goes up in parts, and is there whole', async () => {
  const server = await startServer();
  const { file } = fileOf(BYTES);
  const seen: number[] = [];
  const upload = new Upload(
    file,
    lineTo(server, () => null),
    () => seen.push(-1),
  );
  upload.state.subscribe((state) => {
    if (state.kind === 'going') seen.push(state.sent);
  });
  await upload.start();
  const state = upload.state.value;
  if (state.kind !== 'done') expect.fail(JSON.stringify(state));
  expect(state.url).toMatch(/^\/user_uploads\//);
  expect(seen).toEqual([0, 0, 524_288, 1_048_576, 1_572_864, -1]);
  const { body } = await server.get(server.people.mel, '/attachments');
  expect(body.attachments).toMatchObject([{ size: BYTES }]);
});

test.each(runNumbers({ few: 4, all: 30 }))(
  'over a line that breaks before and after parts, the file arrives whole (seed %i)',
  async (seed) => {
    const { chance } = openRandom(seed);
    const server = await startServer();
    const { file } = fileOf(BYTES);
    let breaks = 0;
    const send = lineTo(server, () => {
      if (breaks >= 4 || !chance(0.4)) return null;
      breaks += 1;
      return chance(0.5) ? 'before' : 'after';
    });
    const upload = new Upload(file, send, () => undefined, { againMs: 1 });
    await upload.start();
    expect(upload.state.value.kind).toBe('done');
    const { body } = await server.get(server.people.mel, '/attachments');
    expect(body.attachments.at(-1)).toMatchObject({ size: BYTES });
  },
);

test('a pause stops it, and it goes on from where it was', async () => {
  const server = await startServer();
  const { file } = fileOf(BYTES);
  const send = lineTo(server, () => null);
  const upload = new Upload(file, send, () => undefined);
  let isPaused = false;
  upload.state.subscribe((state) => {
    if (isPaused || state.kind !== 'going' || state.sent < 524_288) return;
    isPaused = true;
    upload.pause();
  });
  await upload.start();
  expect(upload.state.value).toEqual({ kind: 'paused', sent: 524_288 });
  await upload.resume();
  await until(() => upload.state.value.kind === 'done' || upload.state.value.kind === 'failed');
  expect(upload.state.value.kind).toBe('done');
});

test('what the server refuses is told in its words, and not tried again', async () => {
  const server = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '1' } });
  let asked = 0;
  const send = lineTo(server, () => {
    asked += 1;
    return null;
  });
  const upload = new Upload(fileOf(BYTES).file, send, () => undefined);
  await upload.start();
  expect(upload.state.value).toMatchObject({
    kind: 'failed',
    fault: expect.stringMatching(/larger|large/),
  });
  expect(asked).toBe(1);
});
