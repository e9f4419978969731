import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { openClient } from '../../support/client.ts';
import { demoPeople, follow, launch, startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const OTHERS = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGIO', 'SIGPWR', 'SIGXFSZ'] as const;

test('a server without a terminal logs each other signal, opens no debugger and goes on', async () => {
  const server = await startProcess();
  const { mel } = server.people;
  for (const signal of OTHERS) {
    process.kill(server.pid(), signal);
    await expect.poll(() => server.stderr()).toContain(`"signal":"${signal}"`);
    expect((await server.get(mel ?? null, '/users/me')).status).toBe(200);
  }
  expect(server.stderr()).not.toContain('Debugger');
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('on SIGQUIT polls are answered, and the exit code is 0', async () => {
  const server = await startProcess();
  const { mel = expect.fail('there is a member') } = server.people;
  const parked = (await server.register(mel, { event_types: ['message'] })).poll();
  await server.get(mel, '/users/me'); // by now the poll has arrived
  const ending = server.end('SIGQUIT');
  expect((await parked).body).toMatchObject({ result: 'success', events: [] });
  expect(await ending).toEqual({ code: 0, signal: null });
});

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'the server of `npm start` ends, drained, when npm is ended by %s',
  async (signal) => {
    const data = temporaryFolder();
    const npm = npmStart({ CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_LOG_LEVEL: 'info' });
    const port = await npm.port;
    onTestFinished(() => endServer(npm.stderr()));
    const client = openClient(() => port, 'demo.localhost');
    const { mel = expect.fail('there is a member') } = demoPeople(data);
    const parked = (await client.register(mel, { event_types: ['message'] })).poll();
    await client.get(mel, '/users/me'); // by now the poll has arrived
    npm.process.kill(signal);
    expect((await parked).body).toMatchObject({ result: 'success', events: [] });
    await expect.poll(() => isGone(pidIn(npm.stderr()))).toBe(true);
    await expect(client.get(mel, '/users/me')).rejects.toThrow(/ECONNREFUSED/);
  },
);

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'the server of `npx confab serve` ends when npx is ended by %s',
  async (signal) => {
    const data = temporaryFolder();
    const npx = npxServe({ CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_LOG_LEVEL: 'info' });
    await npx.port;
    onTestFinished(() => endServer(npx.stderr()));
    npx.process.kill(signal);
    await expect.poll(() => isGone(pidIn(npx.stderr())), { timeout: 5_000 }).toBe(true);
  },
);

test('the server of `npm start` ends when npm was killed while the shell was still building', async () => {
  const folder = temporaryFolder();
  const [begun, built] = ['begun', 'built'].map((name) => join(folder, name)) as [string, string];
  // A build that takes until the file is there.
  const build = `
    import { existsSync, writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(begun)}, '');
    while (!existsSync(${JSON.stringify(built)})) await new Promise((later) => setTimeout(later, 50));
  `;
  const npm = npmStart({ CONFAB_DATA: folder, CONFAB_PORT: '0', CONFAB_LOG_LEVEL: 'info' }, build);
  onTestFinished(() => writeFileSync(built, ''));
  await expect.poll(() => existsSync(begun), { timeout: 10_000 }).toBe(true);
  npm.process.kill('SIGKILL');
  await npm.exit;
  writeFileSync(built, '');
  await expect.poll(npm.stderr, { timeout: 10_000 }).toMatch(/"msg":"ready"/);
  onTestFinished(() => endServer(npm.stderr()));
  await expect.poll(() => isGone(pidIn(npm.stderr()))).toBe(true);
  expect(npm.stderr()).toMatch(/npm, which started this server, is gone/);
});

test('the first start answers nobody before the accounts of the demo realm are there', async () => {
  const data = temporaryFolder();
  const port = await freePort();
  const server = launch({ CONFAB_DATA: data, CONFAB_PORT: String(port) });
  onTestFinished(async () => {
    server.process.kill('SIGKILL');
    await server.exit;
  });
  const client = openClient(() => port, 'demo.localhost');
  let isReady = false;
  void server.port.then(() => {
    isReady = true;
  });
  const seen = new Set<string>();
  while (!isReady) {
    const hasKeys = () => existsSync(join(data, 'demo-credentials.json'));
    const hadKeys = hasKeys();
    const as = hadKeys ? (demoPeople(data)['mel'] ?? null) : null;
    const path = as === null ? '/server_settings' : '/users/me';
    const reply = await client.get(as, path).catch(() => undefined);
    // The keys may have been written, and the port opened, after the test looked for the keys.
    if (reply === undefined || (!hadKeys && hasKeys())) continue;
    seen.add(hadKeys ? `with a key: ${reply.status}` : 'without keys');
  }
  // The loop may not have asked in the moment between listening and saying so.
  expect([...seen].filter((one) => one !== 'with a key: 200')).toEqual([]);
  const { mel = null } = demoPeople(data);
  expect((await client.get(mel, '/users/me')).status).toBe(200);
});

/** The scripts of package.json as they are, on what was built for this run. */
function npmStart(env: Readonly<Record<string, string>>, build = '') {
  const folder = temporaryFolder();
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = { private: true, type: 'module', scripts };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'bundle.mjs'), build);
  mkdirSync(join(folder, 'dist'));
  symlinkSync(join(inject('dist'), 'bundle'), join(folder, 'dist', 'bundle'));
  return spawnHere(folder, 'npm', ['start'], env);
}

/** The command of an installed package. */
function npxServe(env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands, { recursive: true });
  symlinkSync(join(inject('dist'), 'bundle', 'confab.js'), join(commands, 'confab'));
  return spawnHere(folder, 'npx', ['confab', 'serve'], env);
}

function spawnHere(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(program, args, {
    cwd,
    // biome-ignore lint/style/noProcessEnv: npm finds its PATH and the like there.
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => end(child));
  return follow(child);
}

function end(child: ChildProcess) {
  child.kill('SIGKILL');
}

/** Ends a server that a failed test would leave running. */
function endServer(log: string) {
  const pid = pidIn(log);
  if (!isGone(pid)) process.kill(pid, 'SIGKILL');
}

/** Every line of the log has the number of its process. */
const pidIn = (log: string) =>
  Number(/"pid":(\d+)/.exec(log)?.[1] ?? expect.fail('the log says no pid'));

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
