import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../../src/admin/commands.ts';
import { startApp } from '../../../src/app.ts';
import { readSettings } from '../../../src/config.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { openClient } from '../../support/client.ts';
import { speakScim } from '../../support/people/directory.ts';
import { run } from '../../support/processes/run.ts';
import { makeScratch } from '../../support/scratch.ts';
import { testClock } from '../../support/test-clock.ts';
import type { Person } from '../../support/users.ts';

const STORES = resolve(import.meta.dirname, '../../fixtures/stores');
/** The version that was next to it brought two schemas, so no store ever had the first of them. */
const NEVER_STORED = 14;

const SCHEMAS = readdirSync(STORES).map((name) =>
  Number(/^schema-(\d+)\.tar\.gz$/.exec(name)?.[1]),
);

const person = z.object({ id: z.int(), email: z.string(), apiKey: z.string() });
const left = z.object({
  mel: person,
  ada: person,
  queue: z.object({ queue_id: z.string(), last_event_id: z.int() }),
  messages: z.object({ first: z.int(), second: z.int(), direct: z.int() }),
});

/** Starts this version on the data directory that a version of that schema left. */
async function started(schema: number) {
  const folder = makeScratch();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const unpacked = await run('tar', [
    '-xzf',
    join(STORES, `schema-${schema}.tar.gz`),
    '-C',
    folder,
  ]);
  expect(unpacked).toMatchObject({ code: 0, stderr: '' });
  const bugs: string[] = [];
  const app = await startApp({
    settings: readSettings({
      CONFAB_DATA: join(folder, 'data'),
      CONFAB_PORT: '0',
      CONFAB_DEMO: '0',
      CONFAB_OPERATOR: 'off',
      CONFAB_MIN_FREE_MIB: '0',
    }),
    log: pino({ level: 'error' }, { write: (line: string) => void bugs.push(line) }),
    onFatal: (error) => void bugs.push(`fatal: ${String(error)}`),
    // The older version stopped at the time at which tests begin.
    clock: testClock(),
  });
  onTestFinished(() => app.stop());
  const { mel, ada, ...rest } = left.parse(
    JSON.parse(readFileSync(join(folder, 'fixture.json'), 'utf8')),
  );
  const client = openClient(() => app.port, 'test.localhost');
  return { app, client, bugs, mel: mel as Person, ada: ada as Person, ...rest };
}

test('there is a store of every schema before this one', () => {
  const earlier = Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1);
  expect(SCHEMAS.sort((one, other) => one - other)).toEqual(
    earlier.filter((schema) => schema !== NEVER_STORED),
  );
});

test.each(SCHEMAS)(
  'a store of schema %i is served: people read, find and write',
  async (schema) => {
    const { client, mel, ada, messages, bugs } = await started(schema);
    const page = { anchor: 'oldest', num_after: 100, apply_markdown: false };
    const { body } = await client.get(mel, '/messages', page);
    const contents = new Map<number, string>(
      body.messages.map(({ id, content }: { id: number; content: string }) => [id, content]),
    );
    expect(contents.get(messages.first)).toBe('First words, **bold** and @**all**');
    expect(contents.get(messages.direct)).toBe('between us');
    const searched = { ...page, narrow: [{ operator: 'search', operand: 'words' }] };
    const found = (await client.get(mel, '/messages', searched)).body.messages;
    expect(found.map(({ id }: { id: number }) => id)).toEqual([messages.first]);
    const sent = { type: 'channel', to: 'general', topic: 'tea', content: 'still here' };
    expect(await client.post(ada, '/messages', sent)).toMatchObject({ status: 200 });
    expect((await client.register(mel)).state.realm_users).toEqual(
      expect.arrayContaining([expect.objectContaining({ email: ada.email })]),
    );
    expect(bugs).toEqual([]);
  },
);

test.each(SCHEMAS)(
  'sockets resume over an upgrade from schema %i: they get all that came since',
  async (schema) => {
    const { client, mel, ada, queue, bugs } = await started(schema);
    const query = `?queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}`;
    const socket = await client.socket(mel, { query });
    expect(await socket.frame()).toMatchObject({ type: 'hello', resumed: true });
    const sent = { type: 'channel', to: 'general', topic: 'tea', content: 'after the upgrade' };
    await client.post(ada, '/messages', sent);
    const contents: string[] = [];
    while (contents.at(-1) !== 'after the upgrade') {
      const { events } = (await socket.frame('events')) as unknown as {
        events: { type: string; message?: { content: string } }[];
      };
      contents.push(
        ...events.flatMap(({ message }) => (message === undefined ? [] : [message.content])),
      );
    }
    expect(contents).toEqual([
      'First words, **bold** and @**all**',
      'An answer with https://example.com/a.png',
      'moved on',
      'between us',
      'after the upgrade',
    ]);
    expect(bugs).toEqual([]);
  },
);

test('what a directory wrote before schema 21 is found, and has its address as its name', async () => {
  const { app } = await started(20);
  const [made] = await runCommand(app.realms, 'scim token', { realm: 'test' });
  const { ask } = speakScim(() => app.port, made as { token: string });
  const find = async (filter: string) =>
    (await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.Resources;
  const [zoe] = await find('externalId eq "z-1"');
  expect(zoe).toMatchObject({ userName: 'zoe@example.com', displayName: 'Zoe Zhou' });
  const moved = { userName: 'zz', emails: [{ value: 'zoe@example.com' }] };
  expect((await ask('PUT', `/Users/${zoe.id}`, moved)).status).toBe(200);
  expect(await find('userName eq "ZZ"')).toMatchObject([{ id: zoe.id, ...moved }]);
});
