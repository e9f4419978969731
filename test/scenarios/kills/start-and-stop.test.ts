import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { join, resolve } from 'node:path';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { confab, run, runMain } from '../../support/processes/run.ts';
import { launch, type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const KEY = join(FIXTURES, 'test-only-key.pem');
const CERT = join(FIXTURES, 'test-only-cert.pem');

test('the first start makes the demo realm, with every role, a bot and two channels of everyone', async () => {
  const server = await startProcess({ CONFAB_DATA: temporaryFolder() });
  const file = join(server.data, 'demo-credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const demo = JSON.parse(readFileSync(file, 'utf8'));
  expect(demo).toMatchObject({
    base_url: `http://127.0.0.1:${server.port()}/api/v1`,
    realm: 'demo',
  });
  expect(Object.keys(demo)).toEqual(['base_url', 'realm', 'users']);
  expect(demo.users.map((user: { role: string }) => user.role)).toEqual([
    'owner',
    'administrator',
    'moderator',
    'member',
    'member',
    'guest',
    'member',
  ]);
  for (const user of demo.users) {
    expect(user).toEqual({
      user_id: expect.any(Number),
      email: expect.stringContaining('@'),
      full_name: expect.any(String),
      role: expect.any(String),
      password: user.is_bot ? null : expect.any(String),
      password_hash: user.is_bot ? null : expect.any(String),
      api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
      is_bot: user.user_id === 7,
    });
  }
  const { body: login } = await server.post(null, '/fetch_api_key', {
    username: demo.users[0].email,
    password: demo.users[0].password,
  });
  expect(login).toMatchObject({ result: 'success', user_id: 1 });
  for (const person of Object.values(server.people)) {
    const { body } = await server.get(person, '/users/me/subscriptions', {
      include_subscribers: true,
    });
    expect(
      body.subscriptions.map((one: { name: string; subscribers: number[] }) => [
        one.name,
        one.subscribers,
      ]),
    ).toEqual([
      ['general', [1, 2, 3, 4, 5, 6, 7]],
      ['random', [1, 2, 3, 4, 5, 6, 7]],
    ]);
  }
});

test('the three lines that a start prints register, send and poll when they are pasted into a shell', async () => {
  const data = temporaryFolder();
  const { stdout } = await started({ CONFAB_DATA: data });
  expect(stdout).toContain(`are in ${join(data, 'demo-credentials.json')}.`);
  const lines = stdout.split('\n').filter((line) => /^U=|curl/.test(line));
  expect(lines).toHaveLength(4);
  const pasted = await run('sh', ['-c', lines.join('\n')], { PATH: pathWithCurl() });
  expect(pasted.stderr).toBe('');
  const [position = '', sent = '', polled = ''] = pasted.stdout.split('\n');
  expect(position).toMatch(/^queue_id=[0-9a-f-]+&last_event_id=\d+$/);
  const { id, ...reply } = JSON.parse(sent);
  expect(reply).toMatchObject({ result: 'success' });
  expect(JSON.parse(polled).events).toMatchObject([
    { type: 'message', message: { id, content: 'Hello, **world**!', subject: 'hello' } },
  ]);
});

test('nothing that a start prints or logs lets anybody in', async () => {
  const data = temporaryFolder();
  const { running, stdout } = await started({ CONFAB_DATA: data, CONFAB_LOG_LEVEL: 'trace' });
  const { users } = JSON.parse(readFileSync(join(data, 'demo-credentials.json'), 'utf8'));
  expect(users).toHaveLength(7);
  for (const { api_key, password } of users) {
    expect(stdout + running.stderr()).not.toContain(api_key);
    if (password !== null) expect(stdout + running.stderr()).not.toContain(password);
  }
});

test('a demo realm is shown to other machines only where the operator says that it is meant', async () => {
  const env = { CONFAB_DATA: temporaryFolder(), CONFAB_PORT: '0' };
  const open = { ...env, CONFAB_HOST: '0.0.0.0' };
  await expectRefusal(
    open,
    /CONFAB_HOST=0\.0\.0\.0 lets other machines in, and a first start makes a demo realm .*CONFAB_DEMO=0 .*CONFAB_DEMO=1/,
  );
  const { running } = await started(env);
  running.process.kill('SIGTERM');
  await running.exit;
  const says = /are in .*demo-credentials\.json: deactivate it .* CONFAB_DEMO=1/;
  await expectRefusal(open, says);
  await expectRefusal({ ...open, CONFAB_DEMO: '0' }, says);
  const meant = await started({ ...open, CONFAB_DEMO: '1' });
  meant.running.process.kill('SIGTERM');
  await meant.running.exit;
  await confab(env.CONFAB_DATA, 'realm', 'deactivate');
  await started(open);
});

test('whatever is in the data directory is for its owner alone, also what others left open', async () => {
  const data = temporaryFolder();
  const mask = process.umask(0);
  onTestFinished(() => void process.umask(mask));
  const first = await started({ CONFAB_DATA: data });
  expect(openToOthers(data)).toEqual([]);
  first.running.process.kill('SIGTERM');
  await first.running.exit;
  await confab(data, 'realm', 'create', 'second');
  expect(openToOthers(data)).toEqual([]);
  for (const path of pathsIn(data)) chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666);
  chmodSync(data, 0o755);
  await started({ CONFAB_DATA: data });
  expect(openToOthers(data)).toEqual([]);
});

const pathsIn = (data: string) => [
  data,
  ...readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name)),
];

/**
 * Returns the paths that others than their owner may use, with their modes. Files in a folder of
 * uploads are closed by the mode of that folder.
 */
const openToOthers = (data: string) =>
  pathsIn(data)
    .map((path) => [path, modeOf(path)] as const)
    .filter(([path, mode]) => !path.includes('/uploads/') && mode?.endsWith('00') === false);

/** A server that runs may have given the file another name since it was listed. */
const modeOf = (path: string) => {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? undefined : (status.mode & 0o777).toString(8);
};

test('a later start keeps accounts, keys, channels and messages, and prints its own address', async () => {
  const server = await startProcess();
  const mel = personOf(server, 'mel');
  const file = join(server.data, 'demo-credentials.json');
  const before = readFileSync(file, 'utf8');
  const { body: sent } = await server.post(mel, '/messages', MESSAGE);
  await server.restart();
  expect(readFileSync(file, 'utf8')).toBe(before);
  const { body } = await server.get(mel, `/messages/${sent.id}`, { apply_markdown: false });
  expect(body.message.content).toBe('hello');
  const { body: subscribed } = await server.get(mel, '/users/me/subscriptions');
  expect(subscribed.subscriptions).toHaveLength(2);
  expect((await server.get(mel, '/users')).body.members).toHaveLength(7);
});

test('what is logged is JSON, one object a line', async () => {
  const { running } = await started({ CONFAB_DATA: temporaryFolder(), CONFAB_LOG_LEVEL: 'trace' });
  const lines = running.stderr().split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), name: 'confab' });
  }
});

test('HTTPS is served with a key and a certificate', async () => {
  const data = temporaryFolder();
  const { running, stdout } = await started({
    CONFAB_DATA: data,
    CONFAB_TLS_KEY: KEY,
    CONFAB_TLS_CERT: CERT,
  });
  const port = await running.port;
  expect(stdout).toContain(`https://127.0.0.1:${port}`);
  const settings = await getOverTls(port, readFileSync(CERT));
  expect(settings).toMatchObject({
    result: 'success',
    realm_url: `https://localhost:${port}`,
  });
});

test.each([
  { why: 'a wrong setting', env: { CONFAB_PORT: '80o' }, says: /CONFAB_PORT is not a port/ },
  {
    why: 'a key file that is missing',
    env: { CONFAB_TLS_KEY: '/nowhere/key.pem', CONFAB_TLS_CERT: CERT },
    says: /CONFAB_TLS_KEY cannot be read: ENOENT/,
  },
  {
    why: 'a host that is not this machine',
    env: { CONFAB_HOST: '203.0.113.7', CONFAB_PORT: '0', CONFAB_DEMO: '1' },
    says: /cannot listen on 203\.0\.113\.7/,
  },
])('$why is told in one line, and the exit code is 1', async ({ env, says }) => {
  await expectRefusal({ CONFAB_DATA: temporaryFolder(), CONFAB_PORT: '0', ...env }, says);
});

test('a port in use is told in one line, and the exit code is 1', async () => {
  const port = await listeningPort();
  await expectRefusal(
    { CONFAB_DATA: temporaryFolder(), CONFAB_PORT: String(port) },
    new RegExp(`cannot listen on 127.0.0.1:${port}: the port is in use`),
  );
});

test('a port for mails in use is told with its setting', async () => {
  const place = `127.0.0.1:${await listeningPort()}`;
  await expectRefusal(
    { CONFAB_DATA: temporaryFolder(), CONFAB_PORT: '0', CONFAB_MAIL_IN: place },
    new RegExp(`CONFAB_MAIL_IN: cannot listen on ${place}: the port is in use`),
  );
});

test('a data directory that another server has is told in one line, and that server goes on', async () => {
  const server = await startProcess();
  await expectRefusal({ CONFAB_DATA: server.data, CONFAB_PORT: '0' }, /is locked by a running/);
  expect((await server.get(personOf(server, 'mel'), '/users/me')).status).toBe(200);
});

test('a realm of a newer schema is told in one line with the version to install, and the exit code is 1', async () => {
  const data = temporaryFolder();
  await confab(data, 'realm', 'create', 'acme');
  const env = open<unknown, string>({ path: join(data, 'realms/1'), maxDbs: 40 });
  const schema = env.openDB<number | string, string>({ name: 'schema' });
  await schema.put('version', SCHEMA_VERSION + 1);
  await schema.put('since', '9.8.7');
  await env.close();
  await expectRefusal(
    { CONFAB_DATA: data, CONFAB_PORT: '0' },
    /realms\/1 was written by a newer version of confab \(schema \d+; this one knows \d+\): install confab 9\.8\.7 or newer/,
  );
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s polls are answered, sockets are told when to come back, and the exit code is 0',
  async (signal) => {
    const server = await startProcess();
    const mel = personOf(server, 'mel');
    const queue = await server.register(mel, { event_types: ['message'] });
    const parked = queue.poll();
    const attached = await server.socket(personOf(server, 'max'));
    attached.send({ type: 'register', params: { event_types: ['message'] } });
    await attached.frame('registered');
    const idle = await server.socket(personOf(server, 'mia'));
    idle.send({ type: 'ping' });
    await idle.frame('pong');

    const ending = server.end(signal);
    expect((await parked).body).toMatchObject({ result: 'success', events: [] });
    for (const socket of [attached, idle]) {
      const { code, reason } = await socket.closed();
      expect(code).toBe(1001);
      const { retry_after_ms: retryAfterMs } = JSON.parse(reason);
      expect(retryAfterMs).toBeGreaterThan(0);
      expect(retryAfterMs).toBeLessThan(10_000);
    }
    expect(await ending).toEqual({ code: 0, signal: null });
    await expect(server.get(mel, '/users/me')).rejects.toThrow(/ECONNREFUSED/);
  },
);

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '1: what was acknowledged before %s is there afterwards, once, and nothing else is',
  async (signal) => {
    const server = await startProcess();
    const mel = personOf(server, 'mel');
    const queue = await server.register(personOf(server, 'max'), { event_types: ['message'] });
    const acknowledged: number[] = [];
    const sending = Array.from({ length: 8 }, async (_, worker) => {
      for (let index = 0; ; index++) {
        const content = `${worker} ${index}`;
        const reply = await server
          .post(mel, '/messages', { ...MESSAGE, content })
          .catch(() => null);
        if (reply?.status !== 200) return reply?.status ?? 'no answer';
        acknowledged.push(reply.body.id);
        if (acknowledged.length === 100) void server.end(signal);
      }
    });
    const ends = await Promise.all(sending);
    for (const end of ends) expect(['no answer', 503]).toContain(end);
    expect(await server.ended()).toEqual(
      signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
    );

    await server.start();
    const kept = await storedIds(server);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    // Any other message that is there was durable before its answer could be given; the queue hears
    // of all of them.
    expect(kept.length - acknowledged.length).toBeLessThanOrEqual(sending.length);
    const heard: number[] = [];
    for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
      heard.push(
        ...events.filter(({ type }) => type === 'message').map((one) => one['message'].id),
      );
    }
    expect(heard).toEqual(kept);
  },
);

const MESSAGE = { type: 'channel', to: 'general', topic: 'greetings', content: 'hello' };

/** Returns a path on which a program of Node stands for curl if there is no curl. */
function pathWithCurl(): string {
  // biome-ignore lint/style/noProcessEnv: a shell finds its programs there.
  const path = process.env['PATH'] ?? '';
  if (path.split(':').some((folder) => existsSync(join(folder, 'curl')))) return path;
  const folder = temporaryFolder();
  symlinkSync(
    resolve(import.meta.dirname, '../../support/processes/curl.mjs'),
    join(folder, 'curl'),
  );
  return `${folder}:${path}`;
}

const personOf = (server: ServerProcess, name: string) =>
  server.people[name] ?? expect.fail(`nobody is called ${name}`);

/** A server process that listens, and all that it printed; ended with the test. */
async function started(env: Readonly<Record<string, string>>) {
  const running = launch({ CONFAB_PORT: '0', ...env });
  const output: string[] = [];
  running.process.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  onTestFinished(async () => {
    running.process.kill('SIGKILL');
    await running.exit;
  });
  await running.port;
  return { running, stdout: output.join('') };
}

async function expectRefusal(env: Readonly<Record<string, string>>, says: RegExp) {
  const { code, stdout, stderr } = await runMain(env);
  expect(stderr).toMatch(says);
  expect(stderr).toMatch(/^confab: [^\n]+\n$/);
  expect(stdout).toBe('');
  expect(code).toBe(1);
}

function listeningPort(): Promise<number> {
  const server = net.createServer();
  onTestFinished(() => {
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
  });
}

function getOverTls(port: number, ca: Buffer): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const url = `https://localhost:${port}/api/v1/server_settings`;
    https
      .get(url, { ca, family: 4, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      })
      .on('error', reject);
  });
}

async function storedIds(server: ServerProcess): Promise<number[]> {
  const { body } = await server.get(personOf(server, 'max'), '/messages', {
    anchor: 'oldest',
    num_before: 0,
    num_after: 5000,
  });
  return body.messages.map(({ id }: { id: number }) => id);
}
