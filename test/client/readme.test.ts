import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWithClient } from '../support/client-library/packed-client.ts';
import { run } from '../support/processes/run.ts';
import { startServer } from '../support/start-server.ts';

test('the program of client/README.md runs as the page says', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const page = readFileSync('client/README.md', 'utf8');
  const blocks = Array.from(page.matchAll(/\n```js\n(.*?\n)```\n/gs), ([, block = '']) => block);
  const program = join(await folderWithClient(), 'program.mjs');
  writeFileSync(program, blocks.join('\n'));

  const env = { CONFAB_URL: server.url, CONFAB_EMAIL: mel.email, CONFAB_KEY: mel.apiKey };
  const { code, stdout, stderr } = await run(process.execPath, [program], env);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'hello, Mel Member',
    'sent: true',
    'found: <p><em>soup?</em></p>',
    'refused: BAD_REQUEST',
    'unread: 0 to draw: true',
  ]);
});
