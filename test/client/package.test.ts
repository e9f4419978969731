import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { folderWithClient } from '../support/client-library/packed-client.ts';
import { run } from '../support/processes/run.ts';
import { startProcess } from '../support/processes/start-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The bound of the issue, for the library without its types and without the store. */
const BROTLI_BYTES_MAX = 12 * 1024;

/** Bundles an entry of the library, as a page gets it. */
async function bundled(entry: string): Promise<string> {
  const bundle = await rolldown({ input: join(ROOT, 'client/src', entry), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  return output[0].code;
}

test('the library is small, and needs nothing of Node', async () => {
  const code = await bundled('index.ts');
  expect(brotliCompressSync(code).length).toBeLessThan(BROTLI_BYTES_MAX);
  expect(code).not.toMatch(/\bfrom\s*["']|\brequire\(|\bprocess\./);
});

test('the store does not bring the connection along, nor the other way round', async () => {
  expect(await bundled('index.ts')).not.toContain('subscriptions');
  expect(await bundled('store/index.ts')).not.toContain('WebSocket');
});

test('the package has no dependency, and only what is built', async () => {
  const folder = join(await folderWithClient(), 'node_modules/@confab/client');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).toMatchObject({
    version: (own as { version: string }).version,
    engines: (own as { engines: object }).engines,
  });
  expect(readdirSync(folder).sort()).toEqual(['README.md', 'dist', 'package.json']);
});

/** A bot as somebody else would write it. */
const BOT = `
import { ApiError, connect, type ChatEvent, type Message } from '@confab/client';
import { State, type Section } from '@confab/client/store';
import { fileOutbox } from '@confab/client/file';

const [url = '', email = '', key = '', folder = ''] = process.argv.slice(2);
const chat = connect({ url, credentials: { email, key }, outbox: fileOutbox(folder) });
let state: State | undefined;
const changed: Section[] = [];
chat.on('snapshot', (snapshot) => {
  state = new State(snapshot);
});
chat.on('event', (event: ChatEvent) => changed.push(...(state?.apply(event) ?? [])));
const message: Message = { type: 'channel', to: 'general', topic: 'bots', content: 'hello' };
const { id } = await chat.send(message).sent;
const { messages } = await chat.call('GET', '/messages', { anchor: id, num_before: 0, num_after: 0 });
const [first] = messages;
const refusal = await chat.call('GET', '/messages/{message_id}', { message_id: 99_999 }).catch(
  (error: unknown) => (error instanceof ApiError ? error.code : 'no refusal'),
);
const content: string = first?.content ?? 'none';
// @ts-expect-error There is no such parameter.
void chat.call('GET', '/users/me', { nothing: true }).catch(() => undefined);
console.log(JSON.stringify({ content, refusal, transport: chat.status.transport }));
chat.close();
`;

const CONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    outDir: 'dist',
  },
  include: ['bot.ts'],
};

test('the packed package works and has types, in a folder of its own', async () => {
  const server = await startProcess();
  const folder = await folderWithClient();
  // The compiler needs the types of Node, which come with it.
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  writeFileSync(join(folder, 'bot.ts'), BOT);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  expect(await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder])).toMatchObject({
    stdout: '',
    code: 0,
  });
  const ada = server.people['ada'];
  const words = [`http://127.0.0.1:${server.port()}`, ada?.email ?? '', ada?.apiKey ?? ''];
  const { stdout, stderr, code } = await run(process.execPath, [
    join(folder, 'dist/bot.js'),
    ...words,
    join(folder, 'outbox'),
  ]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    content: '<p>hello</p>',
    refusal: 'BAD_REQUEST',
    transport: 'WebSocket' in globalThis ? 'socket' : 'poll',
  });
  expect(code).toBe(0);
});
