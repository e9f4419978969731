import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOGOUT_TOKEN_MS_MAX } from '../../../src/domain/limits/credentials.ts';
import { CLIENT, openFlow, startProvider } from '../../support/people/provider.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const ZOE = { sub: 'zoe-1', email: 'zoe@example.com', email_verified: true, name: 'Zoe Zhou' };
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const FROM_OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

async function started(entry: object = {}) {
  const provider = await startProvider();
  const path = join(temporaryFolder(), 'sign-in.json');
  const whole = { type: 'openid', name: 'idp', issuer: provider.issuer, logs_out: true };
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret, ...entry };
  writeFileSync(path, JSON.stringify({ entries: [{ ...whole, ...client }] }));
  const server = await startServer({ env: { CONFAB_SIGN_IN: path } });
  // The provider has the real time.
  await server.leap(Date.now() - server.clock.now());
  const origin = `http://test.localhost:${server.app.port}`;
  const at = `${origin}/accounts/sign-in/idp/`;
  await provider.open(`${at}return`);
  await server.set('invite_required', false);
  provider.become(ZOE);
  const isHome = ({ pathname, host }: URL) => pathname === '/' && host.startsWith('test.');
  /** Signs in with a browser, which may be known to the provider already. */
  async function signIn(flow = openFlow()) {
    expect(await flow.follow(at, isHome)).toMatchObject({ status: 0 });
    const api = async (method: string, name: string, fields?: Record<string, string>) => {
      const sending = { ...(fields && { fields }), headers: FROM_OWN_PAGE };
      const sent = await flow.send(`${origin}/api/v1${name}`, method, sending);
      return JSON.parse(sent.text);
    };
    const isIn = async () => (await api('GET', '/users/me')).result === 'success';
    return { flow, api, isIn };
  }
  /** Confirms on the page of the provider, and returns where the browser is led. */
  async function confirm({ flow }: Awaited<ReturnType<typeof signIn>>, url: string) {
    const [, action = ''] = /action="([^"]+)"/.exec((await flow.get(url)).text) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec((await flow.get(url)).text) ?? [];
    const done = await flow.send(action, 'POST', { fields: { xsrf, logout: 'yes' } });
    return new URL(done.location ?? 'about:blank');
  }
  const tell = (token: string) =>
    openFlow().send(`${at}back-channel-logout`, 'POST', { fields: { logout_token: token } });
  const rows = () =>
    server.perform((tx) => ({
      sessions: [...tx.sessions.keys({})].length,
      kept: [...tx.providerSessions.range({})].map(([, row]) => row),
      sids: [...tx.providerSids.keys({})].length,
    }));
  return { provider, server, origin, at, signIn, confirm, tell, rows, isHome };
}

test('who logs out here logs out at the provider, and comes back', async () => {
  const { provider, server, origin, at, signIn, confirm, rows, isHome } = await started();
  const zoe = await signIn();
  const other = await signIn();
  const kept = await rows();
  expect(kept).toMatchObject({ sessions: 2, sids: 2 });
  // The hint is sealed: the store has no token of the provider.
  expect(JSON.stringify(kept.kept)).not.toMatch(/eyJ[\w-]+\.eyJ|zoe-1/);
  await server.restart();
  const out = await zoe.api('DELETE', '/sessions/current');
  expect(out).toMatchObject({ result: 'success', logout_url: expect.any(String) });
  const url = new URL(out.logout_url);
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    id_token_hint: expect.stringMatching(/^eyJ/),
    client_id: CLIENT.id,
    post_logout_redirect_uri: `${at}logged-out`,
    state: expect.stringMatching(/^[\w-]{60,}$/),
  });
  expect([await zoe.isIn(), await other.isIn()]).toEqual([false, true]);
  const back = await confirm(zoe, url.href);
  expect(back.searchParams.get('state')).toBe(url.searchParams.get('state'));
  expect(await zoe.flow.follow(back.href, isHome)).toMatchObject({ status: 0 });
  // The provider does not know the browser any more: somebody else can sign in by it.
  provider.become({ ...ZOE, sub: 'abe-1', email: 'abe@example.com', name: 'Abe' });
  const abe = await signIn(zoe.flow);
  expect((await abe.api('GET', '/users/me')).full_name).toBe('Abe');
  expect(await rows()).toMatchObject({ sessions: 2, sids: 2 });
  // A return with another state is told apart, also with one that is too old.
  for (const state of ['', '?state=', `?state=${'A'.repeat(72)}`, '?state=%00']) {
    const strange = await zoe.flow.follow(`${at}logged-out${state}`);
    expect(strange).toMatchObject({ status: 400 });
    expect(strange.text).toContain('No log-out was begun here');
  }
  await server.leap(300_001);
  expect(await zoe.flow.follow(back.href)).toMatchObject({ status: 400 });
  expect((await abe.flow.follow(`${origin}/accounts/sign-in/else/logged-out`)).status).toBe(400);
  expect(server.bugs).toEqual([]);
});

test('a provider that logs somebody out ends the session here, with its event queues', async () => {
  const { provider, server, signIn, confirm, rows } = await started();
  // Two browsers of one person; the provider logs one of them out, as from another service.
  const [zoe, other] = [await signIn(), await signIn()];
  const queue = await zoe.api('POST', '/register', { event_types: '["message"]' });
  const { queue_id: id } = queue;

  const poll = zoe.api('GET', `/events?queue_id=${id}&last_event_id=-1`);
  await confirm(zoe, `${provider.issuer}/session/end?client_id=${CLIENT.id}`);
  await poll;
  expect(await zoe.api('GET', '/events')).toMatchObject({ result: 'error' });
  expect([await zoe.isIn(), await other.isIn()]).toEqual([false, true]);
  expect(await rows()).toMatchObject({ sessions: 1, sids: 1 });
  expect(await server.perform((tx) => [...tx.queues.keys({})])).toEqual([]);
  const rowsOfLog = await server.perform((tx) => [...tx.auditLog.range({})].map(([, row]) => row));
  expect(rowsOfLog.at(-1)).toMatchObject({ kind: 'session', op: 'remove', by: 'server' });
  expect(server.bugs).toEqual([]);
});

test('a logout token counts if the provider has signed it for this client, once and at once', async () => {
  const { provider, server, signIn, tell, rows } = await started({ logs_out: false });
  const [zoe, other] = [await signIn(), await signIn()];
  const now = () => Math.floor(server.clock.now() / 1000);
  const good = () => ({
    iss: provider.issuer,
    aud: CLIENT.id,
    iat: now(),
    jti: crypto.randomUUID(),
    sub: ZOE.sub,
    events: EVENTS,
  });
  const stranger = await startProvider();
  await stranger.open('http://localhost/return');
  const late = now() - LOGOUT_TOKEN_MS_MAX / 1000 - 31;
  const wrong: readonly [object, object?][] = [
    [{ iss: 'https://else.example' }],
    [{ iss: undefined }],
    [{ aud: 'another' }],
    [{ aud: undefined }],
    [{ iat: undefined }],
    [{ iat: late }],
    [{ iat: now() + 120 }],
    [{ exp: now() - 31 }],
    [{ jti: undefined }],
    [{ jti: '' }],
    [{ events: undefined }],
    [{ events: {} }],
    [{ events: [] }],
    [{ events: { 'http://schemas.openid.net/event/backchannel-logout': true } }],
    [{ nonce: 'n' }],
    [{ sub: undefined }],
    [{ sub: 7 }],
    [{ sid: {} }],
    [{}, { typ: 'at+jwt' }],
    [{}, { kid: 'another' }],
  ];
  const bad = await Promise.all(
    wrong.map(([claims, header]) => provider.sign({ ...good(), ...claims }, header)),
  );
  const [head, body, signature] = (await provider.sign(good())).split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  bad.push(none, `${head}.${body}.${signature?.slice(4)}AAAA`, `${head}.${body}`, '', 'x');
  bad.push(
    await stranger.sign(good()),
    await provider.sign({ ...good(), more: 'x'.repeat(9_000) }),
  );
  for (const token of bad) {
    const refused = await tell(token);
    expect([token, refused.status]).toEqual([token, 400]);
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'invalid_request' });
  }
  expect([await zoe.isIn(), await other.isIn()]).toEqual([true, true]);
  // Tokens about sessions and people that are not here are right, and change nothing.
  for (const claims of [{ sid: 'not-here' }, { sub: 'not-here' }, { sub: undefined, sid: 'x' }]) {
    expect((await tell(await provider.sign({ ...good(), ...claims }))).status).toBe(200);
  }
  expect(await rows()).toMatchObject({ sessions: 2 });
  const token = await provider.sign(good(), { typ: 'logout+jwt' });
  expect(await tell(token)).toMatchObject({ status: 200, text: '' });
  expect([await zoe.isIn(), await other.isIn()]).toEqual([false, false]);
  const told = server.warnings.filter((line) => line.includes('a log-out by a provider'));
  expect(told).toHaveLength(1);
  const again = await signIn();
  expect((await tell(token)).status).toBe(400);
  await server.restart();
  expect((await tell(token)).status).toBe(400);
  expect(await again.isIn()).toBe(true);
  // Without `logs_out` a log-out is one of this server alone.
  expect(await again.api('DELETE', '/sessions/current')).not.toHaveProperty('logout_url');
  // The keys cannot be read: nothing is believed, and nobody is logged out.
  const last = await signIn();
  provider.hijack(() => (_req, res) => void res.writeHead(500).end());
  await stranger.rotate();
  expect((await tell(await stranger.sign(good()))).status).toBe(400);
  expect(await last.isIn()).toBe(true);
  expect(server.bugs).toEqual([]);
});
