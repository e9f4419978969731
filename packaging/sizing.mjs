import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { NODE_OPTION, ROOT } from './project.mjs';

// Measures how much memory and disk a server takes, for the table of docs/operating.md. People are
// in channels of a hundred, and each sends as many messages of some 20 words as the others.
// Usage: node packaging/sizing.mjs <people>x<messages> …

const PROGRAM = join(ROOT, 'dist', 'bundle', 'confab.js');
const PEOPLE_OF_A_CHANNEL = 100;
const AT_ONCE = 32;
/** More open files than that need another limit of the shell. */
const SOCKETS_MAX = 5_000;
const WORDS = 'the soup is on at noon and whoever wants some comes down to the kitchen with a bowl';

async function main(sizes) {
  for (const size of sizes) {
    const [people = 0, messages = 0] = size.split('x').map(Number);
    process.stdout.write(`${JSON.stringify(await measure(people, messages))}\n`);
  }
}

async function measure(people, messages) {
  const data = mkdtempSync(join(tmpdir(), 'confab-sizing-'));
  const env = { CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_DEMO: '0' };
  Object.assign(env, { CONFAB_OPERATOR: 'off', CONFAB_SENDS_PER_MINUTE: '0' });
  Object.assign(env, { CONFAB_REQUESTS_PER_MINUTE: '0', CONFAB_LOG_LEVEL: 'warn' });
  let server;
  try {
    server = await start(env);
    const [owner] = ask(env, ['init', '--email', 'ada@example.com', '--name', 'Ada']);
    const accounts = importPeople(env, data, people);
    await subscribe(server, owner, accounts);
    await send(server, accounts, messages);
    const disk = megabytes(Number.parseInt(spawnSync('du', ['-sb', data]).stdout.toString(), 10));
    server.child.kill();
    await server.ended;
    server = await start(env);
    const atRest = memoryOf(server.child.pid);
    const sockets = await connect(server, accounts);
    await send(server, accounts, 1_000);
    const withSockets = memoryOf(server.child.pid);
    for (const socket of sockets) socket.terminate();
    return { people, messages, disk, atRest, sockets: sockets.length, withSockets };
  } finally {
    server?.child.kill();
    await server?.ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function start(env) {
  const child = spawn(process.execPath, [NODE_OPTION, PROGRAM, 'serve'], { env });
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.stderr.pipe(process.stderr);
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const [, found] = /is ready at (\S+)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error('the server has ended')));
  });
  return { child, ended, url };
}

function ask(env, words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function importPeople(env, data, count) {
  const file = join(data, 'people.jsonl');
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ full_name: `Person ${n}`, email: `person${n}@example.com` }),
  );
  writeFileSync(file, lines.join('\n'));
  const accounts = ask(env, ['users', 'import', '--file', file]);
  rmSync(file);
  return accounts.map((account, n) => ({
    ...account,
    channel: `team ${Math.floor(n / PEOPLE_OF_A_CHANNEL)}`,
  }));
}

async function subscribe(server, owner, accounts) {
  for (const channel of new Set(accounts.map((account) => account.channel))) {
    const members = accounts.filter((account) => account.channel === channel);
    const principals = JSON.stringify(members.map(({ email }) => email));
    const subscriptions = JSON.stringify([{ name: channel }]);
    await post(server, { email: owner.owner, api_key: owner.api_key }, '/users/me/subscriptions', {
      subscriptions,
      principals,
    });
  }
}

async function send(server, accounts, count) {
  let next = 0;
  const sender = async () => {
    while (next < count) {
      const n = next++;
      const account = accounts[n % accounts.length];
      const topic = `topic ${Math.floor(n / 200)}`;
      await post(server, account, '/messages', {
        type: 'channel',
        to: account.channel,
        topic,
        content: `${n}: ${WORDS}`,
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}

const authorization = ({ email, api_key: key }) =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;

async function post({ url }, account, path, params) {
  const reply = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: authorization(account) },
    body: new URLSearchParams(params),
  });
  if (reply.status !== 200) throw new Error(`${path}: ${await reply.text()}`);
  return await reply.json();
}

async function connect(server, accounts) {
  const sockets = [];
  for (const account of accounts.slice(0, SOCKETS_MAX)) {
    const { queue_id, last_event_id } = await post(server, account, '/register', {
      event_types: '["message"]',
    });
    const address = `${server.url.replace('http', 'ws')}/api/v1/events/socket?queue_id=${queue_id}&last_event_id=${last_event_id}`;
    const socket = new WebSocket(address, { headers: { authorization: authorization(account) } });
    await new Promise((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', reject);
    });
    sockets.push(socket);
  }
  return sockets;
}

function memoryOf(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return megabytes(Number(kilobytes) * 1024);
}

const megabytes = (bytes) => Math.round(bytes / 1e6);

await main(process.argv.slice(2));
