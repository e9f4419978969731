import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canMount, mountSmallDisk } from '../../support/files/small-disk.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { confab, runConfab } from '../../support/processes/run.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import type { Person } from '../../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'greetings' };

test('a backup made while messages are sent has every one acknowledged before, and every file', async () => {
  const server = await startProcess();
  const mel = personOf(server, 'mel');
  const queue = await server.register(mel, { event_types: ['message'] });
  const file = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const url = await uploaded(server, mel, { content: file, filename: 'a.bin' });
  const sent = await sentUntil(server, mel, async (acknowledged) => {
    await expect.poll(() => acknowledged.size).toBeGreaterThan(50);
    const before = new Map(acknowledged);
    const to = temporaryFolder();
    const [made] = await confab(server.data, 'backup', 'create', '--to', to);
    return { before, to, made };
  });
  const { before, to, made } = sent;
  expect(readdirSync(to)).toHaveLength(1);
  expect(made).toMatchObject({ realms: [{ string_id: 'demo', files: 1, missing_files: 0 }] });
  const from = String(made?.['backup']);
  expect(await confab(to, 'backup', 'verify', '--from', from)).toMatchObject([{ is_whole: true }]);
  expect(await confab(to, 'backup', 'list', '--in', to)).toEqual([
    {
      backup: from,
      is_complete: true,
      at: expect.stringMatching(/^\d{4}-/),
      bytes: made?.['bytes'],
      files: made?.['files'],
      realms: ['demo'],
    },
  ]);

  const elsewhere = join(temporaryFolder(), 'new');
  await confab(to, 'backup', 'restore', '--from', from, '--to', elsewhere);
  const restored = await startProcess({ CONFAB_DATA: elsewhere });
  const { body } = await restored.get(mel, '/messages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5000,
    apply_markdown: false,
  });
  const kept = new Map<number, string>(
    body.messages.map((one: { id: number; content: string }) => [one.id, one.content]),
  );
  expect([...before].filter(([id, content]) => kept.get(id) !== content)).toEqual([]);
  const realms = made?.['realms'] as { last_message_id: number }[] | undefined;
  const [realm] = realms ?? [];
  expect(Math.max(...kept.keys())).toBe(realm?.last_message_id);
  expect(
    (await download({ app: { port: restored.port() } }, url, { as: mel })).bytes.equals(file),
  ).toBe(true);
  // The client has heard of messages that the backup does not have, so it must register again.
  const polled = await restored.get(mel, '/events', { queue_id: queue.id, last_event_id: -1 });
  expect(polled.body.code).toBe('BAD_EVENT_QUEUE_ID');
  const fresh = await restored.register(mel, { event_types: ['message'] });
  const { body: again } = await restored.post(mel, '/messages', { ...MESSAGE, content: 'again' });
  expect(await fresh.next()).toMatchObject([{ type: 'message', message: { id: again.id } }]);
});

test('a backup is made of a data directory on which no server runs', async () => {
  const data = temporaryFolder();
  const to = temporaryFolder();
  await confab(data, 'realm', 'create', 'acme');
  const [made] = await confab(data, 'backup', 'create', '--to', to);
  expect(made).toMatchObject({ realms: [{ string_id: 'acme' }] });
  const restored = join(to, 'new');
  await confab(data, 'backup', 'restore', '--from', String(made?.['backup']), '--to', restored);
  expect(await confab(restored, 'realm', 'list')).toEqual(await confab(data, 'realm', 'list'));
});

const BROKEN: readonly {
  readonly why: string;
  readonly harm: (backup: string) => void;
  readonly says: RegExp;
}[] = [
  {
    why: 'a flipped byte in a store',
    harm: (backup) => flip(join(backup, STORE), 20_000),
    says: /is damaged: realms\/1\/data\.mdb: its bytes have changed/,
  },
  {
    why: 'a truncated store',
    harm: (backup) => truncateSync(join(backup, STORE), 8192),
    says: /is damaged: realms\/1\/data\.mdb: it has 8192 bytes, and had \d+/,
  },
  {
    why: 'a missing store',
    harm: (backup) => rmSync(join(backup, STORE)),
    says: /is damaged: realms\/1\/data\.mdb: it is missing/,
  },
  {
    why: 'a list that was cut off',
    harm: (backup) => truncateSync(join(backup, 'files.jsonl'), 100),
    says: /is damaged: files\.jsonl/,
  },
  {
    why: 'a changed manifest',
    harm: (backup) => flip(join(backup, 'manifest.json'), 60),
    says: /is damaged: manifest\.json/,
  },
  {
    why: 'no manifest',
    harm: (backup) => rmSync(join(backup, 'manifest.json')),
    says: /is no backup, or not a whole one/,
  },
];
const STORE = 'realms/1/data.mdb';

test('a backup with a fault is neither verified nor restored, and one line says which', async () => {
  const data = temporaryFolder();
  await confab(data, 'realm', 'create', 'acme');
  const to = temporaryFolder();
  const [made] = await confab(data, 'backup', 'create', '--to', to);
  for (const { why, harm, says } of BROKEN) {
    const backup = join(temporaryFolder(), 'confab-broken');
    cpSync(String(made?.['backup']), backup, { recursive: true });
    harm(backup);
    const verified = await runConfab(data, 'backup', 'verify', '--from', backup);
    expect(verified, why).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(says),
    });
    expect(verified.stderr).toMatch(/^confab: [^\n]+\n$/);
    const target = temporaryFolder();
    const restored = await runConfab(data, ...RESTORE, '--from', backup, '--to', target);
    expect(restored, why).toMatchObject({ code: 4, stdout: '' });
    expect(restored.stderr).toMatch(/^confab: [^\n]*(damaged|no backup)[^\n]*\n$/);
    expect(readdirSync(target).filter((name) => !name.startsWith('control.'))).toEqual([]);
  }
});
const RESTORE = ['backup', 'restore'] as const;

test('what is not whole is listed as that, and nothing is restored over what is there', async () => {
  const data = temporaryFolder();
  await confab(data, 'realm', 'create', 'acme');
  const to = temporaryFolder();
  const [made] = await confab(data, 'backup', 'create', '--to', to);
  const killed = join(to, 'confab-2026-01-05T000000Z-0000.part');
  mkdirSync(killed);
  expect(await confab(data, 'backup', 'list', '--in', to)).toMatchObject([
    { backup: killed, is_complete: false, why: expect.stringContaining('no manifest.json') },
    { backup: made?.['backup'], is_complete: true, realms: ['acme'] },
  ]);
  const used = temporaryFolder();
  writeFileSync(join(used, 'mine.txt'), 'mine');
  for (const target of [data, used]) {
    const from = String(made?.['backup']);
    const { code, stderr } = await runConfab(data, ...RESTORE, '--from', from, '--to', target);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: `confab: ${target} is not empty: a backup is restored into a new data directory only\n`,
    });
  }
  expect(readFileSync(join(used, 'mine.txt'), 'utf8')).toBe('mine');
  const within = await runConfab(data, 'backup', 'create', '--to', join(data, 'backups'));
  expect(within.stderr).toMatch(/^confab: [^\n]+ is in the data directory[^\n]*\n$/);
  expect(within.code).toBe(4);
});

test.runIf(canMount)(
  'a disk that is full ends a backup with one line, leaves nothing of it, and sends go on',
  async () => {
    const server = await startProcess();
    const mel = personOf(server, 'mel');
    await uploaded(server, mel, { content: Buffer.alloc(6_000_000, 1) });
    const { path } = mountSmallDisk(4);
    const { code, stderr } = await sentUntil(server, mel, () =>
      runConfab(server.data, 'backup', 'create', '--to', path),
    );
    expect(stderr).toMatch(/^confab: a backup cannot be written to [^\n]+ENOSPC[^\n]*\n$/);
    expect(code).toBe(4);
    expect(readdirSync(path)).toEqual([]);
    expect((await server.post(mel, '/messages', { ...MESSAGE, content: 'on' })).status).toBe(200);
  },
);

/** Sends by eight at a time while `work` is done; each answer must be a success. */
async function sentUntil<Result>(
  server: ServerProcess,
  as: Person,
  work: (acknowledged: ReadonlyMap<number, string>) => Promise<Result>,
): Promise<Result> {
  const acknowledged = new Map<number, string>();
  let isDone = false;
  const sending = Array.from({ length: 8 }, async (_, worker) => {
    for (let index = 0; !isDone; index++) {
      const content = `${worker} ${index}`;
      const { status, body } = await server.post(as, '/messages', { ...MESSAGE, content });
      expect(status).toBe(200);
      acknowledged.set(body.id, content);
    }
  });
  try {
    return await work(acknowledged);
  } finally {
    isDone = true;
    await Promise.all(sending);
  }
}

function flip(file: string, position: number) {
  const bytes = readFileSync(file);
  bytes[position] = (bytes[position] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const personOf = (server: ServerProcess, name: string) =>
  server.people[name] ?? expect.fail(`nobody is called ${name}`);
