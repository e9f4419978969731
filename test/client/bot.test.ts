import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderWithClient } from '../support/client-library/packed-client.ts';
import { type ServerProcess, startProcess } from '../support/processes/start-process.ts';
import type { Person } from '../support/users.ts';

const BOT = 'client/examples/bot.mjs';

test('the bot answers each mention once, while the server and the bot are killed again and again', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const max = server.people['max'] ?? expect.fail();
  const bot = openBot(server, mel, await folderWithClient());
  bot.start();
  // A kill may come before the answer was sent, while it is, or after it.
  await mention(server, max, mel, 1);
  await server.kill();
  await mention(server, max, mel, 2);
  await bot.kill();
  await mention(server, max, mel, 3);
  await Promise.all([server.kill(), bot.kill(), mention(server, max, mel, 4)]);
  await expect.poll(() => answers(server, max), { interval: 200 }).toHaveLength(4);

  // The bot finds the mentions again, as if it had been killed before it noted that they are
  // answered. An answer to the last one comes after all those that might be sent twice.
  await bot.stop();
  const narrow = [['topic', 'bots']];
  const range = { anchor: 'oldest', num_before: 0, num_after: 100, narrow };
  await server.post(mel, '/messages/flags/narrow', { ...range, op: 'remove', flag: 'read' });
  await mention(server, max, mel, 5);
  bot.start();
  await expect.poll(() => answers(server, max), { interval: 200 }).toHaveLength(5);
  expect(new Set(await answers(server, max))).toEqual(new Set(['Hello, Max Member!']));
  expect(bot.errors()).toBe('');
});

test('the bot has 30 lines of code', () => {
  const lines = readFileSync(BOT, 'utf8').split('\n');
  const code = lines.filter((line) => line !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line));
  expect(code.length).toBeLessThanOrEqual(30);
});

/** Sends a mention, again and again until the server has taken it. */
async function mention(server: ServerProcess, from: Person, to: Person, round: number) {
  const message = { type: 'channel', to: 'general', topic: 'bots' };
  const content = `@**${to.fullName}** ${round}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'idempotency-key': `mention ${round}`,
  };
  const body = new URLSearchParams({ ...message, content }).toString();
  await expect
    .poll(async () => {
      const options = { as: from, headers, body };
      const reply = await server.request('POST', '/messages', options).catch(() => undefined);
      return reply?.status;
    })
    .toBe(200);
}

async function answers(server: ServerProcess, as: Person): Promise<string[]> {
  const narrow = [['topic', 'bots']];
  const range = { anchor: 'oldest', num_before: 0, num_after: 100, apply_markdown: false };
  const { body } = await server.get(as, '/messages', { ...range, narrow });
  const contents = body.messages.map(({ content }: { content: string }) => content);
  return contents.filter((content: string) => content.startsWith('Hello'));
}

function openBot(server: ServerProcess, as: Person, cwd: string) {
  cpSync(BOT, join(cwd, 'bot.mjs'));
  let child: ChildProcess;
  let errors = '';
  const start = () => {
    child = spawn(process.execPath, ['bot.mjs'], {
      cwd,
      env: {
        CONFAB_URL: `http://127.0.0.1:${server.port()}`,
        CONFAB_EMAIL: as.email,
        CONFAB_KEY: as.apiKey,
      },
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
  };
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    start,
    errors: () => errors,
    stop,
    /** SIGKILL, and starts again. */
    async kill() {
      await stop();
      start();
    },
  };
}
