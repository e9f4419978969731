import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { shown } from '../../src/command-line/output.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const audit = (server: TestServer, args: object = {}) =>
  runCommand(server.app.realms, 'audit', { realm: 'test', ...args }) as Promise<
    Record<string, unknown>[]
  >;

test('the operator sees who did what, oldest first, with the address of who it was', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const before = await audit(server);
  await server.patch(ada, `/users/${mel.id}`, { role: 300 });
  await server.patch(ada, '/realm', { description: 'changed' });
  const lines = await audit(server);
  expect(lines.slice(0, before.length)).toEqual(before);
  expect(lines.slice(before.length)).toMatchObject([
    {
      by: 'user',
      user_id: ada.id,
      user: ada.email,
      kind: 'user',
      op: 'update',
      target: mel.id,
      before: { role: 400 },
      after: { role: 300 },
    },
    { user: ada.email, kind: 'realm', op: 'update', before: { description: '' } },
  ]);
  expect(lines.at(-1)?.['at']).toBe(new Date(server.clock.now()).toISOString());
});

test('lines are chosen by time, kind and account, and go on before an earlier one', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  await server.advance(60_000);
  const at = new Date(server.clock.now()).toISOString();
  await server.patch(ada, `/users/${mel.id}`, { role: 300 });
  await server.advance(60_000);
  const after = new Date(server.clock.now()).toISOString();
  await server.patch(ada, '/realm', { description: 'changed' });
  const kinds = async (args: object) => (await audit(server, args)).map(({ kind }) => kind);
  expect(await kinds({ since: at })).toEqual(['user', 'realm']);
  expect(await kinds({ since: at, until: after })).toEqual(['user']);
  expect(await kinds({ since: '2030-01-01' })).toEqual([]);
  expect(await kinds({ user: ada.email })).toEqual(['user', 'realm']);
  expect(await kinds({ user: ada.email, kind: 'realm' })).toEqual(['realm']);
  const [newest] = await audit(server, { limit: '1' });
  expect(newest).toMatchObject({ kind: 'realm' });
  expect(await audit(server, { before: String(newest?.['id']), limit: '1' })).toMatchObject([
    { kind: 'user' },
  ]);
  for (const wrong of [{ since: 'lately' }, { kind: 'weather' }, { limit: '99999999' }]) {
    await expect(audit(server, wrong)).rejects.toThrow(/Usage: confab audit/);
  }
  await expect(audit(server, { user: 'nobody@example.com' })).rejects.toThrow(/There is no user/);
});

test('the realm is the word after the command, or the option', async () => {
  const server = await startServer();
  await server.addRealm('acme');
  const byWord = await runCommand(server.app.realms, 'audit', { name: 'acme' });
  const byOption = await runCommand(server.app.realms, 'audit', { realm: 'acme' });
  expect(byWord).toEqual(byOption);
  // The realm has a bot of its own.
  expect(byWord.map((line) => Object.values(line).slice(2, 5).join(' '))).toEqual([
    'operator user add',
    'operator realm add',
    'operator user add',
    'operator key add',
  ]);
});

test('an archive that the operator writes is recorded, and holds the log', async () => {
  const server = await startServer();
  const { realms } = server.app;
  const file = `${temporaryFolder()}/test.zip`;
  await runCommand(realms, 'realm export', { realm: 'test', file });
  const lines = await audit(server);
  expect(lines.at(-1)).toMatchObject({ by: 'operator', kind: 'export', after: { kind: 'whole' } });
  await runCommand(realms, 'realm import', { file, name: 'again' });
  const again = await audit(server, { realm: 'again' });
  expect(again.slice(0, lines.length)).toEqual(lines);
  expect(again.slice(lines.length)).toMatchObject([
    {
      by: 'operator',
      kind: 'realm',
      before: { string_id: 'test' },
      after: { string_id: 'again' },
    },
  ]);
});

test('a terminal shows an act in a line', () => {
  const line = {
    id: 7,
    at: '2026-11-25T08:00:00.000Z',
    by: 'user',
    user_id: 2,
    user: 'ada@example.com',
    kind: 'user',
    op: 'update',
    target: 4,
    before: { role: 400, is_active: true },
    after: { role: 300, is_active: false },
  };
  const text = shown('audit', [line], { columns: 200, hasColours: false });
  expect(text).toContain('ada@example.com');
  expect(text).toContain('update user 4');
  expect(text).toContain('role 400 → 300, is_active true → false');
});
