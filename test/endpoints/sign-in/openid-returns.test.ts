import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { SIGN_IN_MS_MAX } from '../../../src/domain/limits/credentials.ts';
import { CLIENT } from '../../support/people/provider.ts';
import { startWithProvider, ZOE } from '../../support/people/sign-in-server.ts';

test('a return that this browser has not begun signs nobody in', async () => {
  const { provider, browser, start, isReturn } = await startWithProvider();
  provider.become(ZOE);
  const attacker = browser();
  const { url } = await attacker.follow(start, isReturn);
  const victim = browser();
  expect(await victim.follow(url.href)).toMatchObject({ status: 400 });
  // Also one that has begun a sign-in of its own.
  await victim.get(start);
  const refused = await victim.follow(url.href);
  expect(refused.text).toContain('has not begun this sign-in');
  expect([...(victim.jar.get(url.host)?.keys() ?? [])]).toEqual(['confab-sign-in']);
});

test('an attempt is good for its time', async () => {
  const { provider, browser, start, isReturn } = await startWithProvider();
  provider.become(ZOE);
  const flow = browser();
  const { url } = await flow.follow(start, isReturn);
  const cookies = flow.jar.get(url.host);
  const kept = cookies?.get('confab-sign-in') ?? '';
  const [secret, endsAt, ...rest] = kept.split('.');
  const leftMs = Number(endsAt) * 1000 - Date.now();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(SIGN_IN_MS_MAX + 1000);
  cookies?.set('confab-sign-in', [secret, Math.floor(Date.now() / 1000) - 1, ...rest].join('.'));
  const refused = await flow.follow(url.href);
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.text).toContain('began it too long ago');
  // Nothing was spent: within the time the same code signs the person in.
  cookies?.set('confab-sign-in', kept);
  expect((await flow.get(url)).status).toBe(303);
});

test('a metric counts how sign-ins end', async () => {
  const { provider, signIn, start, browser, server } = await startWithProvider(
    {},
    { CONFAB_OPERATOR: '127.0.0.1:0' },
  );
  provider.become(ZOE);
  await signIn();
  provider.become({ ...ZOE, sub: 'other', email: undefined });
  await signIn();
  await browser().follow(`${start}return`);
  const text = await (await fetch(`${server.app.operatorUrl}/metrics`)).text();
  const counted = Array.from(
    text.matchAll(/^confab_provider_sign_ins_total\{outcome="(\w+)"\} ([1-9]\d*)$/gm),
    ([, outcome, count]) => [outcome, count],
  );
  expect(Object.fromEntries(counted)).toEqual({
    signed_in: '1',
    no_account: '1',
    begun_elsewhere: '1',
  });
});

test('a code is good once, even with its cookie', async () => {
  const { provider, browser, start, isReturn } = await startWithProvider();
  provider.become(ZOE);
  const flow = browser();
  const { url } = await flow.follow(start, isReturn);
  const kept = new Map(flow.jar.get(url.host));
  expect((await flow.get(url)).status).toBe(303);
  flow.jar.set(url.host, kept);
  const again = await flow.follow(url.href);
  expect(again).toMatchObject({ status: 400 });
  expect(again.text).toContain('It has refused the sign-in');
});

test('an ID token of another attempt is not trusted', async () => {
  const { provider, browser, start, isReturn } = await startWithProvider();
  provider.become(ZOE);
  const flow = browser();
  const away = (await flow.get(start)).location ?? '';
  const changed = new URL(away);
  changed.searchParams.set('nonce', 'another');
  const { url } = await flow.follow(changed.href, isReturn);
  const refused = await flow.follow(url.href);
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.text).toContain('cannot be trusted');
});

test('the log names a wrong secret in the words of OAuth alone, and a fault of the network', async () => {
  const { provider, server, signIn } = await startWithProvider({ client_secret: 'not-the-secret' });
  provider.become(ZOE);
  const refused = await signIn();
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.text).toContain('Signing in by The Provider has failed. It has refused');
  const warned = server.warnings.join('\n');
  expect(warned).toContain('"outcome":"refused"');
  expect(warned).toContain('"said":"invalid_client"');
  expect(warned).not.toMatch(/not-the-secret|client authentication failed/);
  // A connection that breaks has its code in the error within the error.
  const broken: RequestListener = ({ socket }) => void socket.destroy();
  provider.hijack((path) => (path.startsWith('/token') ? broken : undefined));
  expect((await signIn()).text).toContain('It cannot be reached');
  expect(server.warnings.at(-1)).toContain('"code":"UND_ERR_SOCKET"');
  // The answer of a proxy for a provider that is down, with a body that it would not have.
  const away: RequestListener = (_req, res) => void res.writeHead(503).end('<h1>Away</h1>');
  provider.hijack((path) => (path.startsWith('/token') ? away : undefined));
  expect((await signIn()).text).toContain('It cannot be reached');
  expect(server.warnings.at(-1)).toContain('"outcome":"unreachable"');
  expect(server.warnings.at(-1)).toContain('"code":"HTTP_503"');
});

test.each([
  { method: undefined, sent: 'post' },
  { method: 'client_secret_post', sent: 'post' },
  { method: 'client_secret_basic', sent: 'basic' },
])('a client whose entry says $method proves itself by $sent', async ({ method, sent }) => {
  const { provider, signIn } = await startWithProvider({ token_endpoint_auth_method: method });
  provider.become(ZOE);
  const seen: boolean[] = [];
  // A provider that is told of one way takes no other: here nobody gets in, and the way is seen.
  provider.hijack((path) =>
    path.startsWith('/token')
      ? (req, res) => {
          seen.push(req.headers.authorization?.startsWith('Basic ') === true);
          res.writeHead(401, { 'content-type': 'application/json' });
          res.end(JSON.stringify({ error: 'invalid_client' }));
        }
      : undefined,
  );
  expect((await signIn()).text).toContain('It has refused');
  expect(seen).toEqual([sent === 'basic']);
  // The real provider takes both.
  provider.hijack();
  expect(await signIn()).toMatchObject({ status: 0 });
});

test('the keys of the provider may change at any moment', async () => {
  const { provider, signIn } = await startWithProvider();
  provider.become(ZOE);
  expect(await signIn()).toMatchObject({ status: 0 });
  await provider.rotate();
  expect(await signIn()).toMatchObject({ status: 0 });
});

test.each([
  { what: 'an error', says: 'cannot be reached', listener: 500 },
  { what: 'a huge answer', says: 'too large', listener: 'huge' },
  { what: 'silence', says: 'cannot be reached', listener: 'silent' },
  { what: 'an answer that drips', says: 'cannot be reached', listener: 'drips' },
])(
  'a provider that gives $what holds nobody else',
  async ({ says, listener }) => {
    const { provider, start, browser, server, signIn } = await startWithProvider();
    provider.become(ZOE);
    let release = () => undefined as void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isHeld = listener === 500 || listener === 'huge';
    provider.hijack(() => async (_req, res) => {
      if (isHeld) await gate;
      if (listener === 500) res.writeHead(500).end('broken');
      if (listener === 'huge') for (let n = 0; n < 40; n += 1) res.write(Buffer.alloc(65_536, ' '));
      if (listener === 'drips') {
        const timer = setInterval(() => res.write(' '), 100);
        res.on('close', () => clearInterval(timer));
      }
    });
    const ended: string[] = [];
    const waiting = browser()
      .follow(start)
      .finally(() => ended.push('sign-in'));
    expect((await server.get(null, '/server_settings')).status).toBe(200);
    expect(ended).toEqual([]);
    release();
    const refused = await waiting;
    expect(refused.text).toContain(says);
    expect(refused.text).not.toContain(CLIENT.secret);
    provider.hijack();
    expect(await signIn()).toMatchObject({ status: 0 });
  },
  30_000,
);

test('the place where the person was is kept, and is never another site', async () => {
  const { provider, browser, start, origin } = await startWithProvider();
  provider.become(ZOE);
  for (const [place, hash] of [
    ['#channel/7', '#channel/7'],
    ['//evil.example', ''],
    ['https://evil.example', ''],
    ['#a\r\nx: y', ''],
  ] as const) {
    const flow = browser();
    const done = await flow.follow(
      `${start}?place=${encodeURIComponent(place)}`,
      ({ pathname, host }) => pathname === '/' && host.startsWith('test.'),
    );
    expect(done.url.href).toBe(`${origin}/${hash}`);
  }
});
