import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { withoutSecrets } from '../../../src/domain/rules/texts/hidden-words.ts';
import { describedError } from '../../../src/domain/wire/described-error.ts';
import { openBugReports } from '../../../src/endpoints/bug-reports.ts';
import { openDispatch } from '../../../src/endpoints/dispatch.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import { openSessionCookies } from '../../../src/endpoints/sessions/cookies.ts';
import { SERIALIZERS } from '../../../src/log.ts';
import * as sessions from '../../../src/operations/accounts/sessions.ts';
import { standingHeaders } from '../../../src/transport/answers/standing-headers.ts';
import { listen } from '../../../src/transport/connections/listen.ts';
import { mountHttp } from '../../../src/transport/http.ts';
import { API_PREFIX } from '../../../src/transport/requests/api.ts';
import { openSockets } from '../../../src/transport/websocket.ts';
import { basic, openClient } from '../../support/client.ts';
import { openPage } from '../../support/pages/page.ts';
import { FIREFOX, FROM_OWN_PAGE } from '../../support/people/session-browser.ts';
import { recorded } from '../../support/requests/recorded.ts';
import { startServer } from '../../support/start-server.ts';

const PASSWORD = 'correct horse battery';
const WRITTEN = 'what Mel wrote to Max';
const IN_PATH = 'k3yofaninvitationxyz';
const KEY_OF_HEADER = 'idempotent-by-this-key';
const SECRETS = [PASSWORD, WRITTEN, IN_PATH, KEY_OF_HEADER];

/**
 * The error has everything that came with the request, as careless code might make it, in each way
 * that a logger could look at.
 */
let thrown: Error = new Error();

const bug = (): never => {
  throw thrown;
};

/** Every endpoint there is, each failing where it does its work. */
const BROKEN = ENDPOINTS.map((endpoint): Endpoint => {
  const allow = () => undefined;
  const broken = { ...endpoint, params: {}, ...('allow' in endpoint && { allow }) };
  for (const work of ['read', 'change', 'exchange', 'visit', 'document']) {
    if (work in broken) Object.assign(broken, { [work]: bug });
  }
  return broken as Endpoint;
});

/**
 * Opens a second door to the realms of a server, behind which everything is broken, with a log like
 * the server's own.
 */
async function withBroken() {
  const server = await startServer();
  const { mel } = server.people;
  const lines: string[] = [];
  const log = pino(
    { serializers: SERIALIZERS },
    { write: (line: string) => void lines.push(line) },
  );
  const { realms } = server.app;
  const routes = openRoutes(BROKEN);
  const reportOf = openBugReports({ deployment: realms, routes, prefix: API_PREFIX });
  const onBug: Parameters<typeof mountHttp>[1]['onBug'] = (error, call) => {
    const report = reportOf(error, call);
    log.error(report, 'bug');
    return report.requestId;
  };
  const broken = () => Promise.reject(thrown);
  const dispatch = openDispatch(realms, routes);
  const standing = standingHeaders({ isTls: false });
  const mounted = {
    ...recorded(),
    dispatch,
    limitRequest: null,
    sessions: openSessionCookies(realms),
    limitPoll: null,
    deployment: realms,
    standing,
    proxies: null,
    onBug,
  };
  const door = await listen({ host: '127.0.0.1', port: 0, tls: null }, (app) => {
    openSockets(mounted).mount(app);
    mountHttp(app, {
      ...mounted,
      web: null,
      holdsSecret: () => false,
      pages: () => ({ isAllowed: true, hasForm: true, reply: broken }),
      content: broken,
      files: broken,
      uploads: broken,
      bodyLimit: () => 64 * 1024,
      isStreamed: () => false,
      quickPoll: () => undefined,
    });
  });
  onTestFinished(door.close);
  const throwOver = (words: readonly string[]) => {
    const said = { as: basic(mel), key: mel.apiKey, words };
    const cause = Object.assign(new Error(`caused by ${mel.apiKey}`), { response: said });
    thrown = Object.assign(new SyntaxError(`${JSON.stringify(said)} is no JSON`, { cause }), {
      call: said,
      input: `https://chat.example.com/?api_key=${mel.apiKey}`,
      config: { headers: { authorization: basic(mel), 'idempotency-key': KEY_OF_HEADER } },
    });
  };
  const secrets = [...SECRETS, mel.apiKey, basic(mel), basic(mel).slice('Basic '.length)];
  return {
    server,
    mel,
    lines,
    secrets,
    throwOver,
    port: door.port,
    client: openClient(() => door.port, 'test.localhost'),
  };
}

const pathOf = (endpoint: Endpoint) => endpoint.path.replaceAll(/\{\w+[^}]*\}/g, IN_PATH);

test('what is logged of a bug in any endpoint names it, the account and the realm, and repeats nothing of the request', async () => {
  const { mel, lines, secrets, throwOver, client } = await withBroken();
  const params = { password: PASSWORD, content: WRITTEN, api_key: mel.apiKey };
  const socket = await client.socket(mel);
  for (const [index, endpoint] of BROKEN.entries()) {
    const { method } = endpoint;
    const path = pathOf(endpoint);
    throwOver([PASSWORD, WRITTEN, ...(path === endpoint.path ? [] : [IN_PATH])]);
    const reply = await client.request(
      method,
      method === 'GET' ? `${path}?${new URLSearchParams(params)}` : path,
      {
        as: mel,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': KEY_OF_HEADER,
        },
        ...(method !== 'GET' && { body: new URLSearchParams(params).toString() }),
      },
    );
    expect([endpoint.path, reply.status]).toEqual([endpoint.path, 500]);
    expect(reply.body).toEqual({
      result: 'error',
      msg: 'Internal server error',
      request_id: expect.any(String),
    });
    const line = lines.at(-1) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      endpoint: `${method} ${endpoint.path}`,
      realm: 'test',
      userId: mel.id,
      requestId: reply.body.request_id,
      err: { type: 'SyntaxError', stack: expect.stringContaining('    at ') },
    });
    socket.send({
      type: 'request',
      id: index,
      method,
      path,
      params,
      idempotency_key: KEY_OF_HEADER,
    });
    const frame = await socket.frame();
    expect(frame).toMatchObject({
      id: index,
      status: 500,
      body: { request_id: expect.any(String) },
    });
    expect(lines.at(-1)).toContain(frame['body'].request_id);
  }
  socket.close();
  expect(lines).toHaveLength(2 * BROKEN.length);
  const log = lines.join('\n');
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});

test('nor does what is logged of a browser that is logged in', async () => {
  const { server, mel, lines, throwOver, client, port } = await withBroken();
  const from = { userAgent: FIREFOX, address: '127.0.0.1' };
  const value = await server.perform((tx) => sessions.begin(tx, mel.id, from));
  const [, secret = ''] = value.split('x');
  const cookie = `confab-${port}=${value}`;
  throwOver([value, secret, cookie]);
  const headers = { cookie, ...FROM_OWN_PAGE };
  const reply = await client.request('GET', '/users/me', { headers });
  expect(reply.status).toBe(500);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ realm: 'test', userId: mel.id });
  expect(lines[0]).not.toContain(secret);
});

test('nor does what is logged of pages, files and uploads', async () => {
  const { mel, lines, secrets, throwOver, port } = await withBroken();
  const form = { full_name: 'Mel', email: 'mel@example.com', password: PASSWORD, content: WRITTEN };
  const at = (path: string) => `http://test.localhost:${port}${path}`;
  throwOver([PASSWORD, WRITTEN, IN_PATH]);
  const page = await openPage(at(`/join/${IN_PATH}/`), { method: 'POST', form, as: mel });
  expect(page.status).toBe(500);
  throwOver([IN_PATH]);
  for (const path of [`/user_uploads/temporary/${IN_PATH}/x`, `/external_content/${IN_PATH}/x`]) {
    expect((await openPage(at(path), { as: mel })).status).toBe(500);
  }
  const reports = lines.map((line) => JSON.parse(line) as { endpoint: string; requestId: string });
  expect(reports.map(({ endpoint }) => endpoint)).toEqual([
    'POST /join/…',
    'GET /user_uploads/…',
    'GET /external_content/…',
  ]);
  expect(reports).toMatchObject([
    { realm: 'test', userId: mel.id },
    { realm: 'test' },
    { realm: 'test' },
  ]);
  expect(page.text).toContain(reports[0]?.requestId);
  const log = lines.join('\n');
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});

test('of what is thrown a log tells type, message, trace and code, whoever logs it', () => {
  const lines: string[] = [];
  const log = pino(
    { serializers: SERIALIZERS },
    { write: (line: string) => void lines.push(line) },
  );
  const cause = Object.assign(new TypeError('no host'), { url: 'smtp://mel:hunter2@mail' });
  const error = Object.assign(new Error('not sent', { cause }), {
    code: 'ENOTFOUND',
    options: { auth: 'hunter2' },
    response: { body: 'hunter2' },
  });
  cause.cause = error;
  log.error({ err: error }, 'a mail was given up');
  log.error({ err: { code: 5, input: 'hunter2' } }, 'bug');
  log.error({ err: undefined }, 'bug');
  expect(lines.join('\n')).not.toContain('hunter2');
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
    type: 'Error',
    message: 'not sent',
    code: 'ENOTFOUND',
    stack: expect.stringContaining('    at '),
    cause: { type: 'TypeError', message: 'no host' },
  });
  expect(JSON.parse(lines[1] ?? '').err).toEqual({ type: 'Object', message: '', code: '5' });
});

test.each([
  {
    text: 'Cannot read properties of undefined',
    secrets: ['hello', 'reading'],
    shown: 'Cannot read properties of undefined',
  },
  {
    text: 'no JSON: "hunter2 and"',
    secrets: ['x hunter2 and more'],
    shown: 'no JSON: "···········"',
  },
  { text: 'nothing', secrets: [], shown: 'nothing' },
  { text: 'nothing', secrets: ['', 'nothin'], shown: '······g' },
])('a message quotes nothing of six characters or more: $shown', ({ text, secrets, shown }) => {
  expect(withoutSecrets(text, secrets)).toBe(shown);
});

test('a message of any length is cut before it is looked through', () => {
  const { message } = describedError(new Error('x'.repeat(1_000_000)));
  expect(message).toHaveLength(1_000);
});
