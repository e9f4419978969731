import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { SIGN_IN_MS_MAX } from '../../../src/domain/limits/credentials.ts';
import { CLIENT, openFlow, startProvider } from '../../support/people/provider.ts';
import { makeScratch } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const EMAIL = 'zoe@example.com';
const ZOE = { sub: 'zoe-1', email: EMAIL, email_verified: true, name: 'Zoe Zhou' };

async function started(entry: object = {}, env: Record<string, string> = {}) {
  const provider = await startProvider();
  const path = join(makeScratch(), 'sign-in.json');
  const whole = {
    type: 'openid',
    name: 'idp',
    display_name: 'The Provider',
    issuer: provider.issuer,
    client_id: CLIENT.id,
    client_secret: { env: 'IDP_SECRET' },
    ...entry,
  };
  writeFileSync(path, JSON.stringify({ entries: [whole] }));
  const server = await startServer({
    env: { CONFAB_SIGN_IN: path, IDP_SECRET: CLIENT.secret, ...env },
  });
  const origin = `http://test.localhost:${server.app.port}`;
  await provider.open(`${origin}/accounts/sign-in/idp/return`);
  await server.set('invite_required', false);
  const browser = () => openFlow();
  const start = `${origin}/accounts/sign-in/idp/`;
  const signIn = (flow = browser()) =>
    flow.follow(start, ({ pathname, host }) => pathname === '/' && host.startsWith('test.'));
  const account = (email: string) =>
    server.perform((tx) => tx.users.get([tx.userEmails.get([email])?.userId ?? -1]));
  const isReturn = ({ pathname }: URL) => pathname.endsWith('/return');
  return { provider, server, origin, start, browser, signIn, account, isReturn };
}

test('a person joins by the whole flow, has a session, and comes back as the same', async () => {
  const { provider, signIn, browser, account, server, origin } = await started();
  provider.become(ZOE);
  const flow = browser();
  const done = await signIn(flow);
  expect([done.status, done.text, done.url.href]).toEqual([0, '', `${origin}/`]);
  const zoe = await account(EMAIL);
  expect(zoe).toMatchObject({ fullName: 'Zoe Zhou', role: 400, passwordHash: null });
  const session = Array.from(flow.jar.get(new URL(origin).host) ?? []);
  expect(session.map(([name]) => name)).toEqual([`confab-${server.app.port}`]);
  expect(flow.visited.join(' ')).not.toMatch(/api_key|[0-9]x[0-9a-f]{64}/);
  // The address changes at the provider; the person is the same.
  provider.become({ ...ZOE, email: 'zz@example.com' });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account('zz@example.com')).toBeUndefined();
  const sessions = await server.perform((tx) => [...tx.sessions.under([zoe?.id ?? 0])]);
  expect(sessions.map(([, { method }]) => method)).toEqual(['openid:idp', 'openid:idp']);
});

test('the log-in page is told of the provider, and a realm that is not named is not', async () => {
  const { server } = await started();
  const { body } = await server.get(null, '/server_settings');
  expect(body['external_authentication_methods']).toEqual([
    {
      name: 'openid:idp',
      display_name: 'The Provider',
      display_icon: null,
      login_url: '/accounts/sign-in/idp/',
      signup_url: '/accounts/sign-in/idp/',
    },
  ]);
  const other = await started({ realms: ['other'] });
  const settings = await other.server.get(null, '/server_settings');
  expect(settings.body['external_authentication_methods']).toEqual([]);
  expect(await other.signIn()).toMatchObject({ status: 404 });
});

test('an account with the verified address is the person’s own', async () => {
  const { provider, signIn, server } = await started();
  const { mel } = server.people;
  provider.become({ ...ZOE, email: mel.email });
  expect(await signIn()).toMatchObject({ status: 0 });
  const linked = await server.perform((tx) => [...tx.identities.under([mel.id])]);
  expect(linked).toMatchObject([[[mel.id, expect.any(String)], { subject: 'zoe-1' }]]);
  // Somebody else got the address at the provider.
  provider.become({ ...ZOE, sub: 'another', email: mel.email });
  const refused = await signIn();
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('belongs to somebody else');
});

test.each([
  { claims: { email_verified: false }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email_verified: 'true' }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email_verified: undefined }, entry: {}, status: 400, says: 'has not verified' },
  { claims: { email: undefined }, entry: {}, status: 400, says: 'does not tell' },
  { claims: {}, entry: { makes_accounts: false }, status: 400, says: 'You have no account' },
  { claims: { email_verified: false }, entry: { trusts_email: true }, status: 0, says: '' },
])('the address has to be the person’s: $claims, $entry', async ({ claims, entry, ...wanted }) => {
  const { provider, signIn } = await started(entry);
  provider.become({ ...ZOE, ...claims });
  const done = await signIn();
  expect(done.status).toBe(wanted.status);
  expect(done.text).toContain(wanted.says);
});

test('where joining takes an invitation, one to the address is taken', async () => {
  const { provider, signIn, server, account } = await started();
  await server.set('invite_required', true);
  provider.become(ZOE);
  expect((await signIn()).text).toContain('takes an invitation');
  const { ada } = server.people;
  const params = { invitee_emails: EMAIL, stream_ids: [], invite_as: 600 };
  expect((await server.post(ada, '/invites', params)).body).toMatchObject({ result: 'success' });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account(EMAIL)).toMatchObject({ role: 600 });
});

/** Leaves an account as an import without secrets does. */
function makeUnused(server: Awaited<ReturnType<typeof startServer>>, userId: number) {
  return server.perform((tx) => {
    const row = tx.users.get([userId]);
    if (row) tx.users.put([userId], { ...row, isActive: false, passwordHash: null });
    for (const key of [...tx.apiKeys.keysUnder([userId])]) tx.apiKeys.remove(key);
  });
}

test('a placeholder of an import is claimed, also by invitation alone, and only once', async () => {
  const { provider, signIn, server, account } = await started();
  const { mel, ada } = server.people;
  await server.set('invite_required', true);
  await makeUnused(server, mel.id);
  await server.perform((tx) => tx.placeholders.put([mel.id], {}));
  provider.become({ ...ZOE, email: mel.email });
  expect(await signIn()).toMatchObject({ status: 0 });
  expect(await account(mel.email)).toMatchObject({ id: mel.id, isActive: true });
  await server.delete(ada, `/users/${mel.id}`);
  const refused = await signIn();
  expect(refused.text).toContain('Account is deactivated');
  expect(await account(mel.email)).toMatchObject({ isActive: false });
});

test('a deactivated account is not claimed, although it has no password and no key', async () => {
  const { provider, signIn, server, account } = await started();
  const { mel, ada } = server.people;
  await makeUnused(server, mel.id);
  provider.become({ ...ZOE, email: mel.email });
  expect((await signIn()).text).toContain('Account is deactivated');
  // Nor is a placeholder that an administrator has made active, and deactivated later.
  await server.perform((tx) => tx.placeholders.put([mel.id], {}));
  for (const act of ['reactivate', 'deactivate'] as const) {
    const path = `/users/${mel.id}`;
    const done = await (act === 'reactivate'
      ? server.post(ada, `${path}/reactivate`)
      : server.delete(ada, path));
    expect(done.body).toMatchObject({ result: 'success' });
  }
  expect((await signIn()).text).toContain('Account is deactivated');
  expect(await account(mel.email)).toMatchObject({ isActive: false });
});

test('groups give and take roles and user groups, but never the last owner', async () => {
  const grants = [
    { group: 'admins', role: 'administrator', user_groups: ['Crew'] },
    { group: 'heads', role: 'owner' },
  ];
  const { provider, signIn, server, account } = await started({ grants });
  const { ona } = server.people;
  const made = await server.post(ona, '/user_groups/create', {
    name: 'Crew',
    description: '',
    members: [],
  });
  const groupId = Number(made.body['group_id']);
  provider.become({ ...ZOE, groups: ['admins', 'else'] });
  expect(await signIn()).toMatchObject({ status: 0 });
  const zoe = await account(EMAIL);
  expect(zoe?.role).toBe(200);
  const isIn = () => server.perform((tx) => tx.groupMembers.has([groupId, zoe?.id ?? 0]));
  expect(await isIn()).toBe(true);
  provider.become({ ...ZOE, groups: [] });
  await signIn();
  expect((await account(EMAIL))?.role).toBe(400);
  expect(await isIn()).toBe(false);
  provider.become({ sub: 'ona', email: ona.email, email_verified: true, groups: [] });
  await signIn();
  expect((await account(ona.email))?.role).toBe(100);
});

test('a person whom the provider has made again gets the account once the operator unlinks it', async () => {
  const { provider, signIn, account, server } = await started();
  provider.become(ZOE);
  await signIn();
  const zoe = await account(EMAIL);
  // The same address under another number may be of another person.
  provider.become({ ...ZOE, sub: 'zoe-2' });
  expect((await signIn()).text).toContain('belongs to somebody else at this provider');
  const unlink = () => runCommand(server.app.realms, 'user unlink', { email: EMAIL });
  expect(await unlink()).toMatchObject([{ user_id: zoe?.id, email: EMAIL, forgotten: 1 }]);
  expect(await unlink()).toMatchObject([{ forgotten: 0 }]);
  expect(await signIn()).toMatchObject({ status: 0 });
  const owners = await server.perform((tx) => [...tx.identityOwners.range({})]);
  expect(owners.map(([, { userId }]) => userId)).toEqual([zoe?.id]);
  const acts = await server.perform((tx) =>
    [...tx.auditLog.range({})].filter(([, { kind }]) => kind === 'identity'),
  );
  expect(acts.map(([, { by, op }]) => `${by} ${op}`)).toEqual([
    'server add',
    'operator remove',
    'server add',
  ]);
  // The former number is of nobody now.
  provider.become(ZOE);
  expect((await signIn()).text).toContain('belongs to somebody else at this provider');
});

test('a return that this browser has not begun signs nobody in', async () => {
  const { provider, browser, start, isReturn } = await started();
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
  const { provider, browser, start, isReturn } = await started();
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
  const { provider, signIn, start, browser, server } = await started(
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
  const { provider, browser, start, isReturn } = await started();
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
  const { provider, browser, start, isReturn } = await started();
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
  const { provider, server, signIn } = await started({ client_secret: 'not-the-secret' });
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
  const { provider, signIn } = await started({ token_endpoint_auth_method: method });
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
  const { provider, signIn } = await started();
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
    const { provider, start, browser, server, signIn } = await started();
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
  const { provider, browser, start, origin } = await started();
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
