import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DECLARATIONS } from '../../../src/metrics/declarations.ts';
import { OPERATING_DOCUMENTS } from '../../../src/metrics/documents/documents.ts';
import { openServerRecorders } from '../../../src/monitoring.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { type Family, parseExposition } from '../../support/metrics/exposition.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const OPERATOR = { CONFAB_OPERATOR: '127.0.0.1:0' };

const startWatched = (env: Readonly<Record<string, string>> = {}) =>
  startServer({ env: { ...OPERATOR, ...env }, channels: ['general'] });

async function scrape({ app }: TestServer): Promise<ReadonlyMap<string, Family>> {
  const reply = await fetch(`${app.operatorUrl}/metrics`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(await reply.text());
}

/** Returns the sum of the series that have these labels. */
function summed(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name.replace(/_(count|sum|bucket)$/, '')) ?? families.get(name);
  if (family === undefined) throw new Error(`${name} is not there`);
  return family.samples
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

const send = ({ post, people }: TestServer, content: string) =>
  post(people.mel, '/messages', { type: 'stream', to: 'general', topic: 'metrics', content });

test('a scrape has every metric that is declared, as it is declared, and no label has another value than those listed', async () => {
  const server = await startWatched();
  await send(server, 'hi');
  await server.post(null, '/messages', { content: 'nobody' });
  await server.get(server.people.mel, '/no/such/path');
  const families = await scrape(server);
  const endpoints = openServerRecorders().http.names;

  // Nothing is known of a backup, a certificate, and a disk that is not watched, nor by realm, and
  // there is no cluster.
  const unknown = /backup|tls|disk|confab_(?:cluster|copies)_|confab_realm_(?!restarts)/;
  const declared = DECLARATIONS.filter(({ name }) => !unknown.test(name));
  expect(declared.length).toBeGreaterThan(40);
  for (const { name, type, help, labels } of declared) {
    const family = families.get(name);
    expect(family).toMatchObject({ name, type, help });
    expect(family?.samples.length).toBeGreaterThan(0);
    for (const sample of family?.samples ?? []) {
      const { le, ...own } = sample.labels;
      expect(le !== undefined).toBe(sample.name.endsWith('_bucket') && type === 'histogram');
      expect(Object.keys(own).sort()).toEqual(Object.keys(labels).sort());
      for (const [label, value] of Object.entries(own)) {
        const listed = label === 'endpoint' ? endpoints : (labels[label] ?? []);
        expect(listed).toContain(value);
      }
    }
  }
  expect(families.get('process_open_fds')?.samples[0]?.value).toBeGreaterThan(5);
  const own = [...families.values()].filter(({ name }) => name.startsWith('confab_'));
  expect(own.map(({ name }) => name).sort()).toEqual(DECLARATIONS.map(({ name }) => name).sort());
  const empty = own.filter(({ samples }) => samples.length === 0);
  expect(empty.every(({ name }) => unknown.test(name))).toBe(true);
});

test('histograms are cumulative, and their last bound has all that was counted', async () => {
  const server = await startWatched();
  for (let count = 0; count < 20; count++) await send(server, `number ${count}`);
  const families = await scrape(server);
  const histograms = [...families.values()].filter(
    ({ name, type }) => type === 'histogram' && name.startsWith('confab_'),
  );
  expect(histograms).toHaveLength(10);
  for (const { name, samples } of histograms) {
    const groups = new Set(samples.map(({ labels }) => labels['group']));
    for (const which of groups) {
      const group = samples.filter(({ labels }) => labels['group'] === which);
      const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
      const bounds = buckets.map(({ labels: { le } }) => Number(le?.replace('+Inf', 'Infinity')));
      expect(bounds).toHaveLength(18);
      expect(bounds).toEqual([...bounds].sort((one, other) => one - other));
      const counts = buckets.map(({ value }) => value);
      expect(counts).toEqual([...counts].sort((one, other) => one - other));
      expect(counts.at(-1)).toBe(group.find((sample) => sample.name === `${name}_count`)?.value);
    }
  }
});

test('sends, polls, sockets, refusals and log-ins are counted as what they are', async () => {
  const server = await startWatched();
  const { mel, max } = server.people;
  const before = await scrape(server);
  const queue = await server.register(max);
  const socket = await server.socket(mel);
  const polled = queue.next();
  await expect.poll(async () => summed(await scrape(server), 'confab_polls_parked')).toBe(1);
  await send(server, 'one');
  await polled;
  await server.post(mel, '/messages', { type: 'direct', to: [max.id], content: 'two' });
  await server.post(mel, '/messages', { type: 'stream', to: 'nowhere', topic: 'x', content: 'no' });
  await server.get({ ...mel, apiKey: 'x'.repeat(32) }, '/users/me');
  await server.post(null, '/fetch_api_key', { username: mel.email, password: 'wrong' });
  await server.get(null, '/../nothing');
  const after = await scrape(server);
  const grown = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    summed(after, name, labels) - summed(before, name, labels);

  expect(grown('confab_messages_total', { kind: 'channel' })).toBe(1);
  expect(grown('confab_messages_total', { kind: 'direct' })).toBe(1);
  expect(grown('confab_events_total', { type: 'message' })).toBe(2);
  expect(grown('confab_http_requests_total', { endpoint: 'postMessages', code: '2xx' })).toBe(2);
  expect(grown('confab_http_requests_total', { endpoint: 'postMessages', code: '4xx' })).toBe(1);
  expect(grown('confab_http_request_duration_seconds_count', { group: 'send' })).toBe(3);
  expect(grown('confab_http_requests_total', { endpoint: 'getEvents', code: '2xx' })).toBe(1);
  expect(grown('confab_http_refused_total', { reason: 'STREAM_DOES_NOT_EXIST' })).toBe(1);
  // A wrong key and a wrong password.
  expect(grown('confab_credentials_refused_total')).toBe(2);
  expect(grown('confab_credentials_refused_total', { reason: 'AUTHENTICATION_FAILED' })).toBe(1);
  expect(grown('confab_logins_total', { result: 'refused' })).toBe(1);
  expect(grown('confab_deliveries_total', { transport: 'poll' })).toBe(1);
  expect(grown('confab_operations_total', { outcome: 'done' })).toBeGreaterThanOrEqual(2);
  expect(grown('confab_commits_total')).toBe(grown('confab_commit_duration_seconds_count'));
  expect(grown('confab_delivery_delay_seconds_count')).toBeGreaterThanOrEqual(1);
  expect(grown('confab_sockets_opened_total', { result: 'opened' })).toBe(1);
  expect(summed(after, 'confab_sockets')).toBe(1);
  expect(summed(after, 'confab_polls_parked')).toBe(0);
  expect(summed(after, 'confab_queues', { state: 'attached' })).toBe(1);
  expect(summed(after, 'confab_http_requests_in_flight')).toBe(0);
  expect(summed(after, 'confab_realms', { state: 'open' })).toBe(1);
  expect(summed(after, 'confab_store_bytes', { kind: 'data' })).toBeGreaterThan(20_000);
  expect(summed(after, 'confab_store_bytes', { kind: 'uploads' })).toBe(0);
  expect(summed(after, 'confab_ready')).toBe(1);

  socket.close();
  await expect.poll(async () => summed(await scrape(server), 'confab_sockets')).toBe(0);
  const closed = summed(await scrape(server), 'confab_sockets_closed_total', { code: 'gone' });
  expect(closed).toBe(1);
});

test('searches for words are timed, uploads counted as they come, and people who use keys are active', async () => {
  const server = await startWatched();
  const { mel, max } = server.people;
  await send(server, 'soup');
  const range = { anchor: 'newest', num_before: 5, num_after: 0 };
  await server.get(mel, '/messages', range);
  const narrow = JSON.stringify([{ operator: 'search', operand: 'soup' }]);
  const found = await server.get(mel, '/messages', { ...range, narrow });
  expect(found.body.messages).toHaveLength(1);
  const content = Buffer.alloc(300_000, 'x');
  await uploaded(server, max, { content, filename: 'x.bin' });
  const before = await scrape(server);
  expect(summed(before, 'confab_search_duration_seconds_count')).toBe(1);
  const bytes = summed(before, 'confab_upload_bytes_total');
  expect(bytes).toBeGreaterThan(content.length);
  expect(bytes).toBeLessThan(content.length + 1_000);
  expect(summed(before, 'confab_uploads_total', { result: 'ok' })).toBe(1);

  // Uses of keys are written each hour, and counted then; sizes are taken twice a minute.
  await server.leap(3_600_000);
  await server.advance(120_000);
  await server.leap(3_600_000);
  await server.advance(120_000);
  const after = await scrape(server);
  for (const window of ['1d', '7d', '30d']) {
    expect(summed(after, 'confab_users_active', { window })).toBe(2);
  }
  expect(summed(after, 'confab_store_bytes', { kind: 'uploads' })).toBe(content.length);
  expect(summed(after, 'confab_search_index_lag_messages')).toBe(1);
});

test('only an operator who wants them gets gauges by realm, of so many realms', async () => {
  const server = await startWatched({ CONFAB_METRICS_REALMS: '1' });
  const { realm } = await server.addRealm('acme').then(() => ({ realm: 'acme' }));
  await send(server, 'soup');
  await server.advance(60_000);
  const families = await scrape(server);
  const own = [...families.values()].filter(({ name }) => /^confab_realm_(?!restarts)/.test(name));
  expect(own).toHaveLength(4);
  for (const { samples } of own) {
    expect(samples.map(({ labels }) => labels)).toEqual([{ realm: 'test' }, { realm }]);
  }
  expect(summed(families, 'confab_realm_messages', { realm: 'test' })).toBe(1);
  expect(summed(families, 'confab_realm_bytes', { realm })).toBeGreaterThan(100_000);
});

test('a reader that stays is told by its age', async () => {
  const server = await startWatched();
  const [realm] = server.app.realms.all();
  const snapshot = realm?.snapshot() ?? expect.fail('there is a realm');
  await send(server, 'one');
  expect(summed(await scrape(server), 'confab_store_oldest_reader_seconds')).toBe(0);
  await server.advance(400_000);
  const age = summed(await scrape(server), 'confab_store_oldest_reader_seconds');
  expect(age).toBeGreaterThanOrEqual(400);
  snapshot.close();
  expect(summed(await scrape(server), 'confab_store_oldest_reader_seconds')).toBe(0);
});

test('requests over a limit are counted by its class', async () => {
  const server = await startWatched({ CONFAB_SENDS_PER_MINUTE: '1' });
  const replies = [
    await send(server, 'one'),
    await send(server, 'two'),
    await send(server, 'three'),
  ];
  const limited = replies.filter(({ status }) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  const families = await scrape(server);
  expect(summed(families, 'confab_rate_limited_total', { kind: 'send' })).toBe(limited);
  expect(summed(families, 'confab_http_refused_total', { reason: 'RATE_LIMIT_HIT' })).toBe(limited);
});

test('both ports say whether the server is ready, and only that of the operator says why', async () => {
  let free = 0.5;
  const disk = () => ({ bavail: free * 1e6, bfree: free * 1e6, blocks: 1e6, bsize: 4096 });
  const server = await startServer({
    env: { ...OPERATOR, CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: '1' },
    statfs: () => Promise.resolve(disk()),
  });
  const { app, clock } = server;
  const ask = async (url: string) => {
    const reply = await fetch(url);
    return { status: reply.status, text: await reply.text() };
  };
  for (let count = 0; count < 5; count++) {
    expect(await ask(`${app.url}/livez`)).toEqual({ status: 200, text: 'ok\n' });
    expect(await ask(`${app.url}/readyz`)).toEqual({ status: 200, text: 'ok\n' });
  }
  expect(app.health()).toMatchObject({ isReady: true, state: 'ready', reasons: [] });

  free = 0.03;
  clock.advance(60_000);
  await expect.poll(() => app.health().isReady).toBe(false);
  const isRefused = { status: 503, text: 'not ready\n' };
  // Gateways are told once a second, and any of them may answer.
  for (let count = 0; count < 5; count++) {
    await expect.poll(() => ask(`${app.url}/readyz`)).toEqual(isRefused);
  }
  expect(await ask(`${app.url}/readyz?verbose`)).toEqual({ status: 503, text: 'not ready\n' });
  expect(await ask(`${app.url}/livez`)).toEqual({ status: 200, text: 'ok\n' });
  expect(await ask(`${app.operatorUrl}/readyz`)).toEqual({ status: 503, text: 'not ready\n' });
  const verbose = await ask(`${app.operatorUrl}/readyz?verbose`);
  expect(verbose.status).toBe(503);
  expect(JSON.parse(verbose.text)).toMatchObject({
    isReady: false,
    reasons: ['only 3.0 % of the disk is free'],
    checks: { realms: { open: 1, closed: 0, unserved: 0 } },
  });
  // The port for clients has no metrics.
  expect((await ask(`${app.url}/metrics`)).text).not.toContain('confab_ready');
});

test('a server that stops says so first, and goes on to serve for as long as it is told to', async () => {
  const server = await startServer({ env: { ...OPERATOR, CONFAB_DRAIN_MS: '1500' } });
  const { app } = server;
  const statusOf = async (url: string) => (await fetch(url)).status;
  expect(await statusOf(`${app.url}/readyz`)).toBe(200);
  const stopped = server.stop();
  await expect.poll(() => statusOf(`${app.url}/readyz`)).toBe(503);
  expect(app.health().reasons).toEqual(['the server is draining']);
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  await stopped;
  for (const url of [app.url, app.operatorUrl ?? '']) {
    const probe = net.connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    await expect(once(probe, 'connect')).rejects.toThrow('ECONNREFUSED');
  }
});

test('with a token nobody is answered without it', async () => {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, 'right\n');
  const server = await startWatched({ CONFAB_OPERATOR_TOKEN_FILE: file });
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${server.app.operatorUrl}${path}`, { headers })).status;
  for (const path of ['/metrics', '/readyz?verbose', '/livez']) {
    expect(await statusOf(path)).toBe(401);
    expect(await statusOf(path, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusOf(path, { authorization: 'Basic right' })).toBe(401);
    expect(await statusOf(path, { authorization: 'Bearer right' })).toBe(200);
  }
});

test('the operator can ask by a socket', async () => {
  const path = join(temporaryFolder(), 'operator.sock');
  await startWatched({ CONFAB_OPERATOR: path });
  const text = await new Promise<string>((resolve, reject) => {
    const request = http.get({ socketPath: path, path: '/metrics' }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      reply.on('end', () => resolve(body));
    });
    request.on('error', reject);
  });
  expect(parseExposition(text).has('confab_ready')).toBe(true);
});

test('a port that is taken refuses the start', async () => {
  const taken = net.createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.on('listening', resolve));
  const { port } = taken.address() as net.AddressInfo;
  await expect(startWatched({ CONFAB_OPERATOR: `127.0.0.1:${port}` })).rejects.toThrow(
    'cannot listen for the operator',
  );
});

test.each(OPERATING_DOCUMENTS)(
  '$file is what the declarations say: npm run docs',
  ({ file, text }) => {
    expect(readFileSync(file, 'utf8')).toBe(text());
  },
);
