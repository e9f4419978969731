import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { CLIENT, openFlow, startProvider } from '../support/people/provider.ts';
import { temporaryFolder } from '../support/scratch.ts';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const PLACE = '/accounts/sign-in/idp/';

/** Three nodes at one address, as behind a balancer, and the provider of their people. */
async function started() {
  const provider = await startProvider();
  const path = join(temporaryFolder(), 'sign-in.json');
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret };
  const entry = { type: 'openid', name: 'idp', issuer: provider.issuer, ...client };
  writeFileSync(path, JSON.stringify({ entries: [entry] }));
  const url = 'http://test.localhost';
  const cluster = openTestCluster({ env: { CONFAB_SIGN_IN: path, CONFAB_PUBLIC_URL: url } });
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const [here = owner, there = owner] = nodes.filter((node) => node !== owner);
  await provider.open(`${url}${PLACE}return`);
  const { email } = people.mel;
  provider.become({ sub: 'mel-1', email, email_verified: true, name: 'Mel' });

  /** Signs in with a browser that the balancer leads to this node. */
  async function signIn({ app: { port } }: TestNode) {
    const flow = openFlow();
    const origin = `http://test.localhost:${port}`;
    const isBack = ({ pathname }: URL) => pathname.endsWith('/return');
    const back = (await flow.follow(`${origin}${PLACE}`, isBack)).url;
    const done = await flow.get(`${origin}${back.pathname}${back.search}`);
    expect([done.status, done.location]).toEqual([303, '/']);
    // The nodes of a cluster have one port, by which the cookie is named; those of a test do not.
    const session = flow.jar.get(new URL(origin).host)?.get(`confab-${port}`) ?? '';
    return async (node: TestNode) => {
      const at = `http://test.localhost:${node.app.port}`;
      const cookie = `confab-${node.app.port}=${session}`;
      const headers = { 'sec-fetch-site': 'same-origin', cookie };
      return (await openFlow().send(`${at}/api/v1/users/me`, 'GET', { headers })).status;
    };
  }

  /** Signs a token, and returns how it is sent to a node. */
  async function signed(claims: object) {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 120, jti: crypto.randomUUID() };
    const all = { iss: provider.issuer, aud: CLIENT.id, events: EVENTS, ...times, ...claims };
    const fields = { logout_token: await provider.sign(all, { typ: 'logout+jwt' }) };
    return async ({ app: { port } }: TestNode) => {
      const at = `http://test.localhost:${port}${PLACE}back-channel-logout`;
      return (await openFlow().send(at, 'POST', { fields })).status;
    };
  }

  return { cluster, nodes, owner, here, there, signIn, signed };
}

test('a log-out by the provider counts at any node, once, and ends sessions at all', async () => {
  const { cluster, nodes, owner, here, there, signIn, signed } = await started();
  const [one, other] = [await signIn(here), await signIn(owner)];
  await caughtUp(cluster);
  const statuses = async () => {
    await caughtUp(cluster);
    return await Promise.all([one, other].flatMap((of) => nodes.map((node) => of(node))));
  };
  expect(await statuses()).toEqual(Array(6).fill(200));
  const tell = await signed({ sub: 'mel-1' });
  expect(await tell(there)).toBe(200);
  expect(await statuses()).toEqual(Array(6).fill(401));
  // The same token does not count a second time, though another node has taken it.
  const again = await signIn(there);
  expect(await tell(here)).toBe(400);
  await caughtUp(cluster);
  expect(await again(owner)).toBe(200);
  expect(await (await signed({ sub: 'nobody-1' }))(here)).toBe(200);
  expect(await again(here)).toBe(200);
  expect(nodes.flatMap(({ errors }) => errors)).toEqual([]);
});
