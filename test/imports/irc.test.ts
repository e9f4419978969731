import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { irc } from '../../src/imports/formats/irc/irc.ts';
import type { FormatOptions } from '../../src/imports/history.ts';
import { openArchiveSource } from '../../src/imports/sources/open-archive.ts';
import { importHere } from '../support/realms/import-here.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'confab-irc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const IRSSI = `--- Log opened Mon Nov 15 12:00:00 2004
12:00 -!- ann [a@host] has joined #tea
12:01 <@ann> *hello* all
12:02 < bob> ann: milk? http://example.com/a_b*c*
12:03  * ann nods
this is no line
--- Day changed Tue Nov 16 2004
09:00 < bob> good morning
`;

function logs(): string {
  const root = mkdtempSync(join(folder, 'logs-'));
  mkdirSync(join(root, '#tea'));
  writeFileSync(join(root, '#tea', 'irssi.log'), IRSSI);
  return root;
}

/** Imports an archive into the realm of a test server, as its command does. */
async function imported(
  server: TestServer,
  path: string,
  { options = {}, stopAfter = Infinity }: { options?: FormatOptions; stopAfter?: number } = {},
) {
  const of = { realm: 'test', source: 'irc:logs', format: 'irc' };
  let steps = 0;
  const report = await importHere(server.app.realms, {
    format: irc,
    archive: await openArchiveSource(path),
    options,
    of,
    onStep(step) {
      if (step !== 'import messages') return;
      if (steps >= stopAfter) throw new Error('killed');
      steps += 1;
    },
  });
  return report.lines({});
}

test('messages, actions, mentions and days come along, and an odd line is named', async () => {
  const server = await startServer();
  const nicks = new Map([['bob', { name: 'Bob', email: 'mel@example.com' }]]);
  const [head, ...rest] = await imported(server, logs(), { options: { nicks } });
  expect(head).toMatchObject({ users: 1, users_matched: 1, channels: 1, messages: 4, left_out: 1 });
  expect(rest).toContainEqual(
    expect.objectContaining({ left_out: 'line', file: '#tea/irssi.log', row: '6' }),
  );
  const { mel } = server.people;
  const found = await server.get(mel, '/messages', {
    narrow: JSON.stringify([{ operator: 'channel', operand: 'tea' }]),
    anchor: 'oldest',
    num_before: 0,
    num_after: 10,
    apply_markdown: false,
  });
  const messages = found.body.messages as unknown as Record<string, unknown>[];
  expect(messages.map(({ subject, timestamp, flags }) => ({ subject, timestamp, flags }))).toEqual([
    { subject: '2004-11-15', timestamp: 1100520060, flags: ['read'] },
    { subject: '2004-11-15', timestamp: 1100520120, flags: ['read'] },
    { subject: '2004-11-15', timestamp: 1100520180, flags: ['read'] },
    { subject: '2004-11-16', timestamp: 1100595600, flags: ['read'] },
  ]);
  expect(messages[0]?.['content']).toBe('\\*hello\\* all');
  expect(messages[1]?.['content']).toMatch(
    /^@\*\*ann\|\d+\*\*: milk\? http:\/\/example\.com\/a_b\*c\*$/,
  );
  expect(messages[2]?.['content']).toBe('/me nods');
  expect(messages[1]?.['sender_id']).toBe(mel.id);
});

test('people without an account get one that is not active and has no password', async () => {
  const server = await startServer();
  await imported(server, logs());
  const reader = server.app.realms.named('test')?.reader;
  const users = Array.from(reader?.users.range({}) ?? [], ([, user]) => user);
  const ann = users.find(({ fullName }) => fullName === 'ann');
  expect(ann).toMatchObject({ isActive: false, passwordHash: null });
  expect(reader?.placeholders.has([ann?.id ?? 0])).toBe(true);
});

test('an import that was cut short goes on, and a second run adds nothing', async () => {
  const server = await startServer();
  const root = logs();
  const many = Array.from({ length: 300 }, (_, at) => `10:00 <ann> message ${at}`).join('\n');
  writeFileSync(join(root, '#tea', 'later.log'), `--- Day changed Wed Nov 17 2004\n${many}\n`);
  const count = () => server.app.realms.named('test')?.reader.messages.count() ?? 0;
  const before = count();
  await expect(imported(server, root, { stopAfter: 1 })).rejects.toThrow('killed');
  const partly = count() - before;
  expect(partly).toBeGreaterThan(0);
  expect(partly).toBeLessThan(304);
  await imported(server, root);
  expect(count() - before).toBe(304);
  const [again] = await imported(server, root);
  expect(again).not.toHaveProperty('messages');
  expect(count() - before).toBe(304);
});

test('links in an archive are refused', async () => {
  const root = logs();
  symlinkSync('/etc/passwd', join(root, 'passwd.log'));
  await expect(openArchiveSource(root)).rejects.toThrow(/passwd\.log is a link/);
});
