import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };

const add = (server: TestServer, params: Params, as: PersonName = 'ona') =>
  server.post(server.people[as], '/realm/domains', params);

const domainsOf = async ({ get, people }: TestServer) =>
  (await get(people.gus, '/realm/domains')).body.domains;

test('an owner adds, changes and removes domains, and everyone hears of it', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_domains'] });
  const params = { domain: ' Tea.Example.com ', allow_subdomains: false };
  expect((await add(server, params)).body).toEqual(ok);
  const path = '/realm/domains/TEA.example.com';
  for (const allow_subdomains of [true, true]) {
    expect((await server.patch(ona, path, { allow_subdomains })).body).toEqual(ok);
  }
  const domain = 'tea.example.com';
  expect(await domainsOf(server)).toEqual([{ domain, allow_subdomains: true }]);
  expect((await server.register(gus)).state.realm_domains).toEqual(await domainsOf(server));
  expect((await server.delete(ona, path)).body).toEqual(ok);
  expect(await domainsOf(server)).toEqual([]);
  const event = { id: expect.any(Number), type: 'realm_domains' };
  expect(await queue.now()).toEqual([
    { ...event, op: 'add', realm_domain: { domain, allow_subdomains: false } },
    { ...event, op: 'change', realm_domain: { domain, allow_subdomains: true } },
    { ...event, op: 'remove', domain },
  ]);
});

test('addresses are held against the domains', async () => {
  const server = await startServer();
  const { ona } = server.people;
  await server.set('emails_restricted_to_domains', true);
  await add(server, { domain: 'tea.example.com', allow_subdomains: false });
  const invite = async (email: string) =>
    (await server.post(ona, '/invites', { invitee_emails: email, stream_ids: [] })).status;
  expect(await invite('one@tea.example.com')).toBe(200);
  expect(await invite('two@green.tea.example.com')).toBe(400);
  await server.patch(ona, '/realm/domains/tea.example.com', { allow_subdomains: true });
  expect(await invite('two@green.tea.example.com')).toBe(200);
});

test('addresses are restricted no more when the last domain goes', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  await server.set('emails_restricted_to_domains', true);
  for (const domain of ['one.example.com', 'two.example.com']) {
    await add(server, { domain, allow_subdomains: false });
  }
  const queue = await server.register(gus, { event_types: ['realm'] });
  await server.delete(ona, '/realm/domains/one.example.com');
  expect(await queue.now()).toEqual([]);
  await server.delete(ona, '/realm/domains/two.example.com');
  expect(await queue.now()).toMatchObject([
    { op: 'update', property: 'emails_restricted_to_domains', value: false },
  ]);
});

test('4: a snapshot and the events of domains give what a fresh register gives, for everybody', async () => {
  const server = await startServer();
  const { ona } = server.people;
  await server.set('emails_restricted_to_domains', true);
  await add(server, { domain: 'old.example.com', allow_subdomains: false });
  await expectExactAfter(server, async () => {
    await add(server, { domain: 'new.example.com', allow_subdomains: true });
    await add(server, { domain: 'also.example.com', allow_subdomains: true });
    await server.patch(ona, '/realm/domains/old.example.com', { allow_subdomains: true });
    for (const domain of ['also', 'new', 'old']) {
      await server.delete(ona, `/realm/domains/${domain}.example.com`);
    }
  });
});

test.each<{ params: Params; code?: string; msg: RegExp }>([
  { params: { allow_subdomains: true }, code: 'REQUEST_VARIABLE_MISSING', msg: /'domain'/ },
  { params: { domain: 'a.example' }, code: 'REQUEST_VARIABLE_MISSING', msg: /allow_subdomains/ },
  { params: { domain: 'a.example', allow_subdomains: 1 }, msg: /is not a boolean/ },
  { params: { domain: '', allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: 'localhost', allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: 'a..example', allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: '-a.example', allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: 'a b.example', allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: `${'a.'.repeat(125)}abcd`, allow_subdomains: true }, msg: /^Invalid domain/ },
  { params: { domain: 'TEA.example.com', allow_subdomains: true }, msg: /already a part/ },
])('adding is refused: $params', async ({ params, code = 'BAD_REQUEST', msg }) => {
  const server = await startServer();
  await add(server, { domain: 'tea.example.com', allow_subdomains: false });
  expect(await add(server, params)).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(await domainsOf(server)).toHaveLength(1);
});

test('a domain is as long as domains can be', async () => {
  const server = await startServer();
  const domain = `${'a.'.repeat(125)}abc`;
  expect((await add(server, { domain, allow_subdomains: true })).status).toBe(200);
});

test('an organization has so many domains, and no more', async () => {
  const server = await startServer();
  await server.perform((tx) => {
    for (let index = 1; index < 500; index += 1) {
      tx.realmDomains.put([`${index}.example.com`], { allowsSubdomains: false });
    }
  });
  const one = { domain: 'one.example.com', allow_subdomains: true };
  expect((await add(server, one)).status).toBe(200);
  expect(await add(server, { ...one, domain: 'more.example.com' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most 500/) },
  });
});

test.each(['patch', 'delete'] as const)('a domain that is not there: %s', async (method) => {
  const server = await startServer();
  const params = { allow_subdomains: true };
  expect(await server[method](server.people.ona, '/realm/domains/x.example', params)).toMatchObject(
    {
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'No entry found for domain x.example.' },
    },
  );
});

test.each<PersonName>(['ada', 'mia', 'mel', 'gus'])('%s may change no domain', async (as) => {
  const server = await startServer();
  const params = { domain: 'tea.example.com', allow_subdomains: true };
  await add(server, params);
  const path = '/realm/domains/tea.example.com';
  for (const reply of [
    await add(server, { ...params, domain: 'b.example' }, as),
    await server.patch(server.people[as], path, { allow_subdomains: false }),
    await server.delete(server.people[as], path),
  ]) {
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' },
    });
  }
});
