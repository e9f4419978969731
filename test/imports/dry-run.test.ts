import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { lockFile } from '../../storage/files/file-lock.ts';
import { send } from '../support/files/attachments.ts';
import { builtFile } from '../support/processes/dist.ts';
import { confab, run, runConfab } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';
import { importOnce, reportOf, written } from './formats/imported.ts';

const LINES = ['12:01 <ann> hello', '12:02 <bob> ann: milk?', 'this is no line'];

/** Logs of one channel, with so many messages of one person besides. */
function logs(more = 0): Promise<string> {
  const lines = Array.from({ length: more }, (_, at) => `12:03 <ann> message ${at}`);
  const opened = '--- Log opened Mon Nov 15 12:00:00 2004';
  return written({ 'tea/irssi.log': [opened, ...LINES, ...lines].join('\n') }, 'logs');
}

const dryRun = async (data: string, more: Readonly<Record<string, string>> = {}, lines = 0) =>
  await run(
    process.execPath,
    [builtFile('confab'), 'import', 'irc', await logs(lines), '--realm', 'test', '--dry-run'],
    { CONFAB_DATA: data, ...more },
  );

test('a dry run needs no data directory, and makes none', async () => {
  const data = join(temporaryFolder(), 'none');
  const TMPDIR = temporaryFolder();
  const { code, stdout, stderr } = await dryRun(data, { TMPDIR });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    is_dry_run: true,
    users: 2,
    channels: 1,
    messages: 2,
    left_out: 1,
  });
  expect([existsSync(data), readdirSync(TMPDIR)]).toEqual([false, []]);
});

test('a dry run has the report of the import, with a server and without one', async () => {
  const server = await startServer();
  await importOnce(server, 'irc', await logs());
  await server.stop();
  const command = ['import', 'irc', await logs(10), '--realm', 'test'];
  const dry = await confab(server.data, ...command, '--dry-run');
  const report = await confab(server.data, ...command);
  expect(report[0]).toMatchObject({ messages: 10 });
  expect(reportOf(dry, report)).toEqual(report);
});

test('an archive of another name is said to be another source, before anything is there twice', async () => {
  const server = await startServer();
  const path = await logs();
  const said = async (...more: string[]) => {
    const command = ['import', 'irc', path, '--realm', 'test', ...more];
    return (await runConfab(server.data, ...command)).stderr;
  };
  expect(await said('--source', 'may')).toBe('');
  expect(await said('--source', 'may')).toBe('');
  expect(await said('--source', 'june', '--dry-run')).toMatch(
    /^confab: earlier imports here came from archives named may\. .+ --source <that name>.+\n$/,
  );
  expect(await said('--source', 'june')).toMatch(/ named may\. /);
  // It goes on with a source that it knows.
  expect(await said('--source', 'june')).toBe('');
});

test('a realm is copied for a dry run while people send into it', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const subscriptions = JSON.stringify([{ name: 'general' }]);
  await server.post(mel, '/users/me/subscriptions', { subscriptions });
  let isOver = false;
  let sent = 0;
  const sending = (async () => {
    for (; !isOver; sent += 1) await send(server, mel, `message ${sent}`);
  })();
  const { code, stderr } = await dryRun(server.data);
  isOver = true;
  await sending;
  expect([code, stderr]).toEqual([0, '']);
  expect(sent).toBeGreaterThan(0);
  expect(await confab(server.data, 'check', '--realm', 'test')).toEqual([
    expect.objectContaining({ is_sound: true, faults: 0 }),
  ]);
});

test('a dry run is refused where the import would be', async () => {
  const node = temporaryFolder();
  writeFileSync(join(node, 'node.json'), '{"node":"a"}');
  const onNode = await dryRun(node);
  expect([onNode.code, onNode.stderr]).toEqual([
    4,
    'confab: An import does not run on a node of a cluster; docs/operating/importing.md says what to do\n',
  ]);
  const server = await startServer();
  await confab(server.data, 'realm', 'deactivate', '--realm', 'test');
  const dry = await dryRun(server.data);
  const command = ['import', 'irc', await logs(), '--realm', 'test'];
  const { code, stderr } = await runConfab(server.data, ...command);
  expect(stderr).toMatch(/deactivated/);
  expect([dry.code, dry.stderr]).toEqual([code, stderr]);
});

test('what a killed import leaves is removed by the next one, and nothing else is', async () => {
  const TMPDIR = temporaryFolder();
  const data = join(temporaryFolder(), 'none');
  const path = await logs(50_000);
  const child = spawn(
    process.execPath,
    [builtFile('confab'), 'import', 'irc', path, '--realm', 'test', '--dry-run'],
    // biome-ignore lint/style/noProcessEnv: the program finds its PATH and the like there.
    { env: { ...process.env, CONFAB_DATA: data, TMPDIR }, stdio: 'ignore' },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  while (!readdirSync(TMPDIR).some((name) => existsSync(join(TMPDIR, name, '1', 'realms')))) {
    await delay(10);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(TMPDIR)).not.toEqual([]);

  const [alive, other] = ['confab-import-alive', 'confab-import-other'];
  for (const name of [alive, other]) mkdirSync(join(TMPDIR, name));
  const lock = lockFile(join(TMPDIR, alive, 'lock'));
  onTestFinished(() => lock?.release());
  expect((await dryRun(data, { TMPDIR })).code).toBe(0);
  expect(readdirSync(TMPDIR).sort()).toEqual([alive, other]);
});
