import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { folderWithClient } from '../../support/client-library/packed-client.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { openRandom } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';

/** A client that writes messages until it is killed, and tells of each one that is kept. */
const PROGRAM = `
import { connect } from '@confab/client';
import { fileOutbox } from '@confab/client/file';
const [url, email, key, name, ws] = process.argv.slice(2);
const { default: WebSocket } = await import(ws);
const chat = connect({
  url, WebSocket, credentials: { email, key }, outbox: fileOutbox('outbox'),
  register: { event_types: ['message'], fetch_event_types: [] },
  timing: { retryMs: 20, retryMaxMs: 100 },
});
chat.on('error', (error) => console.log('error', error.message));
chat.on('outbox', (entries) => {
  if (name === 'last' && entries.length === 0) chat.close();
});
for (let count = 0; name !== 'last'; count += 1) {
  const content = name + '-' + count;
  await chat.send({ type: 'channel', to: 'general', topic: 'kills', content }).kept;
  console.log('kept', content);
  while (chat.status.waiting > 50) await new Promise((resolve) => setTimeout(resolve, 5));
}
`;

test('messages of a client that is killed are sent once, whatever happens to the server', async () => {
  const server = await startProcess();
  const folder = await folderWithClient();
  writeFileSync(join(folder, 'program.js'), PROGRAM);
  const random = openRandom(20_261_126);
  const pauses = () => new Promise((resolve) => setTimeout(resolve, 300 + random.below(900)));
  const kept: string[] = [];

  for (let round = 0; round < runs({ few: 4, all: 8, most: 20 }); round += 1) {
    const client = launch(folder, server, `run${round}`);
    createInterface({ input: client.process.stdout }).on('line', (line) => {
      const [word, content = ''] = line.split(' ');
      if (word !== 'kept') throw new Error(line);
      kept.push(content);
    });
    await pauses();
    if (round % 2 === 0) await server.kill();
    if (round % 4 === 0) await pauses();
    client.process.kill('SIGKILL');
    await client.ended;
  }
  const last = launch(folder, server, 'last');
  expect(await last.ended).toBe(0);

  const contents = await stored(server);
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.filter((content) => !contents.includes(content))).toEqual([]);
  expect(new Set(contents).size).toBe(contents.length);
  expect(readdirSync(join(folder, 'outbox')).filter((name) => name.endsWith('.json'))).toEqual([]);
  // A message that was not said to be kept may have been sent, but none overtakes another one.
  const places = kept.map((content) => contents.indexOf(content));
  expect(places).toEqual([...places].sort((one, other) => one - other));
}, 300_000);

function launch(folder: string, server: ServerProcess, name: string) {
  const ada = server.people['ada'];
  if (ada === undefined) throw new Error('the demo realm has no ada');
  const ws = createRequire(import.meta.url).resolve('ws');
  const url = `http://127.0.0.1:${server.port()}`;
  const words = ['program.js', url, ada.email, ada.apiKey, name, ws];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { process: child, ended: ended(child) };
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));

async function stored(server: ServerProcess): Promise<string[]> {
  const contents: string[] = [];
  for (let anchor = 0; ; ) {
    const { body } = await server.get(server.people['ada'] ?? null, '/messages', {
      anchor,
      include_anchor: false,
      num_before: 0,
      num_after: 5_000,
      apply_markdown: false,
      narrow: [{ operator: 'topic', operand: 'kills' }],
    });
    const messages = body.messages as { id: number; content: string }[];
    contents.push(...messages.map(({ content }) => content));
    anchor = messages.at(-1)?.id ?? anchor;
    if (body.found_newest) return contents;
  }
}
