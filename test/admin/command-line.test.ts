import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SERVICE_VERSION } from '../../src/domain/version.ts';
import { openClient } from '../support/client.ts';
import { builtFile } from '../support/processes/dist.ts';
import { confab, run, runConfab } from '../support/processes/run.ts';
import { follow, launch } from '../support/processes/start-process.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

test.each([
  { words: ['--help'], says: /^confab \S+: .*\n {2}realm create .*\n {2}key create /s },
  { words: [], says: /^confab \S+: / },
  { words: ['help', 'realm', 'delete'], says: /Usage: confab realm delete <name> --yes\n/ },
  { words: ['realm', 'delete', '--help'], says: /Usage: confab realm delete <name> --yes\n/ },
  { words: ['--version'], says: new RegExp(`^${SERVICE_VERSION}\\n$`) },
])('help is on standard output and makes nothing: $words', async ({ words, says }) => {
  const data = join(temporaryFolder(), 'none');
  const { code, stdout, stderr } = await runConfab(data, ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(says);
  expect(existsSync(data)).toBe(false);
});

test('help loads neither the server nor its packages', () => {
  const loaded = loadedBy(builtFile('confab'));
  expect(loaded.length).toBeGreaterThan(3);
  const sizes = loaded.map((file) => statSync(file).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

/** Returns a file with those that it imports at once, and so on. */
function loadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^import (?:.*? from )?"(.*?)";$/gm);
  const names = Array.from(imports, ([, name = '']) => name);
  expect(names.filter((name) => !/^(\.\/|node:)/.test(name))).toEqual([]);
  const own = names.filter((name) => name.startsWith('./'));
  return [file, ...own.flatMap((name) => loadedBy(join(dirname(file), name), seen))];
}

test.each([
  { why: 'an unknown command', words: ['user', 'lst'], code: 2, says: /did you mean `confab user list`/ },
  { why: 'an unknown option', words: ['user', 'create', '--colour', 'red'], code: 2, says: /--colour/ },
  { why: 'a wrong value', words: ['user', 'create', '--email', 'a@example.com', '--name', 'Al', '--role', 'boss'], code: 2, says: /role is none of/, isData: true },
  { why: 'a realm that is not there', words: ['user', 'list'], code: 3, says: /There is no realm 'demo'/, isData: true },
  { why: 'no demo realm', words: ['demo'], code: 3, says: /there is no demo realm/ },
  { why: 'a refusal', words: ['realm', 'create', 'Not a name'], code: 4, says: /cannot be the name of a realm/ },
])('$why ends with its exit code and one line', async ({ words, code, says, isData }) => {
  const data = temporaryFolder();
  if (isData === true) mkdirSync(join(data, 'realms'));
  const ended = await runConfab(data, ...words);
  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^confab: [^\n]+\n$/) });
  expect(ended.stderr).toMatch(says);
}); // biome-ignore format: a table

test.each([
  { words: ['user', 'list', '--realm', 'demo'] },
  { words: ['realm', 'list'] },
  { words: ['audit'] },
  { words: ['ldap', 'sync'] },
  { words: ['user', 'create', '--email', 'al@example.com', '--name', 'Al'] },
  { words: ['backup', 'create', '--to', 'backups'] },
])('a command on data makes no directory where there is none: $words', async ({ words }) => {
  const folder = temporaryFolder();
  const missing = join(folder, 'data');
  for (const data of [missing, folder]) {
    expect(await runConfab(data, ...words)).toEqual({
      code: 3,
      stdout: '',
      stderr: `confab: there is no data directory at ${data}; CONFAB_DATA names it\n`,
    });
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('the first realm makes the data directory', async () => {
  const data = join(temporaryFolder(), 'data');
  expect(await confab(data, 'realm', 'create', 'acme')).toMatchObject([{ realm: 'acme' }]);
  expect(await confab(data, 'user', 'list')).toEqual([]);
});

test('a server that is still starting cannot be reached', async () => {
  const server = await startServer();
  await server.stop();
  const { takeDataDirectory } = await import('../../src/admin/data-directory.ts');
  const { serveControl } = await import('../../src/admin/control/control.ts');
  const controlled = {
    realms: () => null,
    node: () => null,
    standing: () => ({ is_running: true, state: 'starting', is_ready: false }),
    consoleAddress: () => null,
    onBug: expect.fail,
  };
  const directory = await takeDataDirectory(server.data, (socket) =>
    serveControl(socket, controlled),
  );
  onTestFinished(() => directory.release());
  expect(await runConfab(server.data, 'realm', 'list')).toEqual({
    code: 69,
    stdout: '',
    stderr: 'confab: The server is still starting\n',
  });
  const status = await runConfab(server.data, 'status');
  expect(status.code).toBe(1);
  expect(JSON.parse(status.stdout)).toMatchObject({ is_running: true, state: 'starting' });
});

test('a first realm is made with an owner who can log in, and only where there is none', async () => {
  const data = join(temporaryFolder(), 'new');
  const init = ['init', '--email', 'ada@example.com', '--name', 'Ada Owner'];
  const [made] = await confab(data, ...init, '--title', 'Acme Inc.');
  expect(made).toEqual({
    realm: 'main',
    url: 'http://main.localhost:8080',
    owner: 'ada@example.com',
    password: expect.stringMatching(/^[\w-]{16}$/),
    api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await confab(data, 'realm', 'show')).toMatchObject([{ title: 'Acme Inc.', people: 1 }]);
  expect(await runConfab(data, ...init)).toMatchObject({ code: 4, stdout: '' });

  // The exit code tells a job of the operator that a directory was not reached.
  const office = { type: 'ldap', name: 'office', url: 'ldap://127.0.0.1:1', base: 'dc=example' };
  const entries = join(dirname(data), 'sign-in.json');
  writeFileSync(entries, JSON.stringify({ entries: [{ ...office, allows_plain_text: true }] }));
  const env = { CONFAB_DATA: data, CONFAB_SIGN_IN: entries };
  const synced = await run(process.execPath, [builtFile('confab'), 'ldap', 'sync'], env);
  expect(synced).toMatchObject({ code: 1, stderr: '' });
  const why = 'unreachable (ECONNREFUSED)';
  expect(JSON.parse(synced.stdout)).toMatchObject({ state: 'not_done', why });

  const running = launch({ CONFAB_DATA: data, CONFAB_PORT: '0' });
  onTestFinished(() => void running.process.kill('SIGKILL'));
  const port = await running.port;
  const server = openClient(() => port, 'main.localhost');
  const login = { username: 'ada@example.com', password: String(made?.['password']) };
  expect((await server.post(null, '/fetch_api_key', login)).body).toMatchObject({ user_id: 1 });
  expect(existsSync(join(data, 'demo-credentials.json'))).toBe(false);
});

test('`confab serve` is the server: it answers, says its status, and ends drained', async () => {
  const data = temporaryFolder();
  const stopped = await runConfab(data, 'status');
  expect(stopped).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(stopped.stdout)).toEqual({
    ...{ is_running: false, state: 'stopped', is_ready: false, data },
    reasons: ['no server runs on this data directory'],
  });
  const child = spawn(process.execPath, [builtFile('confab'), 'serve'], {
    // biome-ignore lint/style/noProcessEnv: the server finds its PATH and the like there.
    env: { ...process.env, CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const server = follow(child);
  const port = await server.port;
  const [status] = await confab(data, 'status');
  expect(status).toMatchObject({ is_running: true, state: 'ready', pid: child.pid, realms: 1 });
  expect(status).toMatchObject({ is_ready: true, reasons: [] });
  expect(status?.['url']).toBe(`http://127.0.0.1:${port}`);
  const people = await confab(data, 'demo');
  expect(people).toHaveLength(7);
  expect(people[0]).toMatchObject({ email: 'ona@demo.example.com', role: 'owner' });
  child.kill('SIGTERM');
  expect(await server.exit).toEqual({ code: 0, signal: null });
});

test('status says why a server is not ready, and its exit code that it is not', async () => {
  let free = 0.5;
  const disk = () => ({ bavail: free * 1e6, bfree: free * 1e6, blocks: 1e6, bsize: 4096 });
  const server = await startServer({ statfs: () => Promise.resolve(disk()) });
  expect(await runConfab(server.data, 'status')).toMatchObject({ code: 0, stderr: '' });
  free = 0.03;
  server.clock.advance(60_000);
  await expect.poll(() => server.app.health().isReady).toBe(false);
  const { code, stdout } = await runConfab(server.data, 'status');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ is_running: true, state: 'ready', is_ready: false, disk_free_share: 0.03 },
    reasons: ['only 3.0 % of the disk is free'],
  });
});

test('status does not wait without end for a server that answers nothing', async () => {
  const data = temporaryFolder();
  const { takeDataDirectory } = await import('../../src/admin/data-directory.ts');
  const directory = await takeDataDirectory(data, () => undefined);
  onTestFinished(() => directory.release());
  const { code, stdout } = await runConfab(data, 'status');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ is_running: true, state: 'unreachable', is_ready: false },
    reasons: ['the server cannot be reached: it has not answered for 10 s'],
  });
});

test('a password is read from standard input', async () => {
  const server = await startServer();
  const words = ['user', 'password', '--email', 'mel@example.com'];
  const { code, stdout, stderr } = await run('sh', [
    '-c',
    'printf "%s\\n" "staple battery 9" | CONFAB_DATA=$0 "$@"',
    server.data,
    ...[process.execPath, builtFile('confab'), ...words],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ user_id: 4, email: 'mel@example.com' });
  const login = { username: 'mel@example.com', password: 'staple battery 9' };
  expect((await server.post(null, '/fetch_api_key', login)).body.user_id).toBe(4);
});

test('the doctor examines the machine, and its exit code says whether something must be mended', async () => {
  const data = temporaryFolder();
  const well = await runConfab(data, 'doctor');
  const checks = well.stdout.trim().split('\n').map((line) => JSON.parse(line));
  expect(well).toMatchObject({ code: 0, stderr: '' });
  expect(checks.map(({ check }) => check)).toEqual([
    ...['server', 'machine', 'sockets', 'descriptors', 'clock', 'disk', 'disk', 'address', 'tls', 'mail', 'mail', 'dns'],
  ]);
  expect(checks.find(({ check }) => check === 'sockets').says).toMatch(/(?:uws|uWebSockets)\S* 20\.\d+/i);
  expect(checks.filter(({ result }) => !['ok', 'warn'].includes(result))).toEqual([]);

  await confab(data, 'realm', 'create', 'acme');
  const ill = await run(process.execPath, [builtFile('confab'), 'doctor'], {
    CONFAB_DATA: data,
    CONFAB_MIN_FREE_MIB: '10000000',
    CONFAB_SMTP_URL: 'smtp://127.0.0.1:1',
    CONFAB_DOMAIN: 'chat.invalid',
    CONFAB_TLS_KEY: '/no/key.pem',
    CONFAB_TLS_CERT: '/no/cert.pem',
  });
  expect(ill.code).toBe(1);
  const failed = ill.stdout.trim().split('\n').map((line) => JSON.parse(line));
  expect(failed.filter(({ result }) => result === 'fail')).toEqual([
    { check: 'disk', result: 'fail', says: expect.stringContaining('are free'), advice: expect.stringContaining('make room') },
    { check: 'tls', result: 'fail', says: expect.stringContaining('CONFAB_TLS_KEY cannot be read'), advice: expect.any(String) },
    { check: 'mail', result: 'fail', says: expect.stringContaining('127.0.0.1 takes no mails'), advice: expect.any(String) },
    { check: 'dns', result: 'fail', says: 'acme.chat.invalid is not found', advice: 'make a DNS record for *.chat.invalid' },
  ]);
}); // biome-ignore format: a table

test('bash completes commands, options and values by the script', async () => {
  const data = temporaryFolder();
  const { stdout: script } = await runConfab(data, 'completion', 'bash');
  const completed = (line: string) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _confab; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' }).trim();
  };
  expect(completed('confab de')).toBe('demo');
  expect(completed('confab do')).toBe('doctor');
  expect(completed('confab realm de')).toBe('deactivate delete');
  expect(completed('confab user role --r')).toBe('--role --realm');
  expect(completed('confab user role --role m')).toBe('moderator member');
  for (const shell of ['zsh', 'fish']) {
    const { code, stdout } = await runConfab(data, 'completion', shell);
    expect(code).toBe(0);
    for (const word of ['reactivate', 'payload-url', 'doctor']) expect(stdout).toContain(word);
  }
  expect(await runConfab(data, 'completion', 'csh')).toMatchObject({ code: 2, stdout: '' });
});
