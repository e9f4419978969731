import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Client, openClient } from '../../support/client.ts';
import { builtFile } from '../../support/processes/dist.ts';
import { confab, runConfab } from '../../support/processes/run.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import type { Person } from '../../support/users.ts';

/** Enough that each of the three runs is in the middle of it for a while. */
const COUNT = 2_000;

function logs(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tea'));
  const lines = Array.from({ length: COUNT }, (_, at) => {
    const minute = String(Math.floor(at / 60) % 60).padStart(2, '0');
    const time = `${String(Math.floor(at / 3600)).padStart(2, '0')}:${minute}`;
    return `${time}:${String(at % 60).padStart(2, '0')} <ann> line ${at}`;
  });
  writeFileSync(join(folder, 'tea', 'log.2004-11-15.log'), lines.join('\n'));
  return folder;
}

/** Starts an import as a process of its own. */
function importing(data: string, path: string) {
  const words = ['import', 'irc', path, '--realm', 'demo'];
  // biome-ignore lint/style/noProcessEnv: the program finds its PATH and the like there.
  const env = { ...process.env, CONFAB_DATA: data };
  const child = spawn(process.execPath, [builtFile('confab'), ...words], { env });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>(
    (resolve) => child.on('close', (code, signal) => resolve({ code, signal, stderr })),
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return { kill: () => child.kill('SIGKILL'), ended };
}

interface Message {
  readonly id: number;
  readonly timestamp: number;
  readonly content: string;
}

async function messagesIn(client: Client, as: Person, channel: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { status, body } = await client.get(as, '/messages', {
      narrow: JSON.stringify([{ operator: 'channel', operand: channel }]),
      anchor: all.at(-1)?.id ?? 0,
      include_anchor: false,
      num_before: 0,
      num_after: 5_000,
      apply_markdown: false,
    });
    if (status !== 200) return all; // the channel is not there yet
    const found = body.messages as unknown as Message[];
    all.push(...found);
    if (found.length === 0) return all;
  }
}

/** Returns how many messages of the archive are there. */
async function countOf(client: Client, as: Person): Promise<number> {
  const { body } = await client.get(as, '/messages', {
    narrow: JSON.stringify([{ operator: 'channel', operand: 'tea' }]),
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    apply_markdown: false,
  });
  const [newest] = (body.messages ?? []) as unknown as Message[];
  return newest === undefined ? 0 : Number(newest.content.slice('line '.length)) + 1;
}

/** Waits until the server has written what the import that was killed had asked it for. */
async function settledCountOf(client: Client, as: Person): Promise<number> {
  let before = -1;
  return await vi.waitFor(
    async () => {
      const count = await countOf(client, as);
      const isSettled = count === before;
      before = count;
      return isSettled ? count : expect.fail('the server is still writing');
    },
    { timeout: 60_000, interval: 200 },
  );
}

/** Sends one message after the other, until it is told to end; returns those acknowledged. */
function talking(client: Client, as: Person, channel: string) {
  const sent: string[] = [];
  let isOn = true;
  const talk = (async () => {
    for (let at = 0; isOn; at += 1) {
      const content = `live ${at}`;
      const message = { type: 'channel', to: channel, topic: 'live', content };
      const reply = await client.post(as, '/messages', message).catch(() => null);
      if (reply?.status === 200) sent.push(content);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    async end() {
      isOn = false;
      await talk;
      return sent;
    },
  };
}

test('8: an import and its server are killed, and each message is there once, in each realm', async () => {
  const server = await startProcess();
  const { data } = server;
  const ada = server.people['ada'] ?? expect.fail();
  await confab(data, 'realm', 'create', 'other');
  const words = ['--realm', 'other', '--email', 'zoe@example.com', '--name', 'Zoe'];
  const [made] = await confab(data, 'user', 'create', ...words, '--role', 'owner');
  const zoe: Person = {
    id: Number(made?.['user_id']),
    email: 'zoe@example.com',
    fullName: 'Zoe',
    apiKey: String(made?.['api_key']),
  };
  const other = openClient(() => server.port(), 'other.localhost');
  const joined = { subscriptions: JSON.stringify([{ name: 'lounge' }]) };
  expect((await other.post(zoe, '/users/me/subscriptions', joined)).status).toBe(200);
  const queue = await other.register(zoe);
  const path = logs();
  const talks = [talking(server, ada, 'general'), talking(other, zoe, 'lounge')];
  const isMoreThan = async (count: number) =>
    vi.waitFor(async () => expect(await countOf(server, ada)).toBeGreaterThan(count), {
      timeout: 60_000,
      interval: 20,
    });

  const first = importing(data, path);
  await isMoreThan(0);
  first.kill();
  expect((await first.ended).signal).toBe('SIGKILL');
  const partly = await settledCountOf(server, ada);
  expect(partly).toBeLessThan(COUNT);

  const second = importing(data, path);
  await isMoreThan(partly);
  await server.kill();
  const { code, stderr } = await second.ended;
  expect([code, stderr]).toEqual([
    69,
    expect.stringMatching(/^confab: the server cannot be reached/m),
  ]);
  const later = await countOf(server, ada);
  expect(later).toBeGreaterThan(partly);
  expect(later).toBeLessThan(COUNT);

  const last = await runConfab(data, 'import', 'irc', path, '--realm', 'demo');
  expect(last.code).toBe(0);
  const [said = [], elsewhere = []] = await Promise.all(talks.map((one) => one.end()));

  const tea = await messagesIn(server, ada, 'tea');
  expect(tea.map(({ content }) => content)).toEqual(
    Array.from({ length: COUNT }, (_, at) => `line ${at}`),
  );
  const ids = tea.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((one, next) => one - next));
  const contents = async (client: Client, as: Person, channel: string) =>
    (await messagesIn(client, as, channel))
      .map(({ content }) => content)
      .filter((content) => content.startsWith('live'));
  expect(await contents(server, ada, 'general')).toEqual(expect.arrayContaining(said));
  const inOther = await contents(other, zoe, 'lounge');
  expect(inOther).toEqual(expect.arrayContaining(elsewhere));
  expect(new Set(inOther).size).toBe(inOther.length);

  // The queue of another realm hears its own messages, in order, and of the import nothing.
  const events = [];
  for (let some = await queue.now(); some.length > 0; some = await queue.now())
    events.push(...some);
  // Zoe follows the topic that she has begun.
  const own = ['message', 'user_topic', 'muted_topics', 'restart', 'heartbeat'];
  expect(events.map(({ type }) => type).filter((type) => !own.includes(type))).toEqual([]);
  expect(
    events
      .filter(({ type }) => type === 'message')
      .map(({ message }) => message.content.replace(/<\/?p>/g, '')),
  ).toEqual(inOther);
  const checked = await confab(data, 'check');
  expect(checked.map(({ is_sound }) => is_sound)).toEqual([true, true]);
}, 180_000);
