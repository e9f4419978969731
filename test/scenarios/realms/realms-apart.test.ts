import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import type { Reply } from '../../support/client.ts';
import { type Names, type Naming, NOWHERE, range } from '../../support/realms/names-of-realms.ts';
import { NAMING_MESSAGES } from '../../support/realms/naming-messages.ts';
import { NAMING_ORGANIZATION } from '../../support/realms/naming-organization.ts';
import { spell, twoRealms } from '../../support/realms/two-realms.ts';
import type { TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const NAMING = { ...NAMING_MESSAGES, ...NAMING_ORGANIZATION };
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('what is known of the endpoints here is all there is', () => {
  const known = [NAMING_MESSAGES, NAMING_ORGANIZATION].flatMap((table) => Object.keys(table));
  expect(known.sort()).toEqual(ENDPOINTS.map(nameOf).sort());
});

test('what is of another realm looks as if it were nowhere, whatever endpoint is asked', async () => {
  const { server, there } = await twoRealms();
  let compared = 0;
  for (const endpoint of ENDPOINTS) {
    const naming = NAMING[nameOf(endpoint)] ?? expect.fail('each endpoint is known');
    const elsewhere = naming(there);
    const nowhere = naming(NOWHERE);
    for (const [index, request] of elsewhere.entries()) {
      const known = await ask(server, endpoint, request);
      const unknown = await ask(server, endpoint, nowhere[index] ?? expect.fail());
      const what = `${nameOf(endpoint)} ${JSON.stringify(request)}`;
      expect(blurred(known, there), what).toEqual(blurred(unknown, NOWHERE));
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(35);
});

test('the keys of another realm open no endpoint', async () => {
  const { server, eve } = await twoRealms();
  for (const endpoint of ENDPOINTS.filter((one) => 'allow' in one)) {
    const [request = { params: {} }] = NAMING[nameOf(endpoint)]?.(NOWHERE) ?? [];
    const reply = await ask(server, endpoint, request, eve);
    const code = endpoint.byUrlKey ? 'INVALID_API_KEY' : 'UNAUTHORIZED';
    expect(reply, nameOf(endpoint)).toMatchObject({ status: 401, body: { code } });
  }
  const socket = await server.socket(eve);
  expect((await socket.closed()).code).toBe(4001);
});

test('nothing that is said or done in another realm is in any answer or event', async () => {
  const { server, acme, eve } = await twoRealms();
  const { ada } = server.people;
  const queue = await server.register(ada, { all_public_streams: true });
  await acme.post(eve, '/messages', { type: 'channel', to: 'xyzzy', topic: 'xyzzy', ...spell });
  await runCommand(server.app.realms, 'user create', {
    realm: 'acme',
    email: 'xyzzy.new@example.com',
    name: 'Xyzzy New',
  });
  const answers = [
    queue.state,
    await queue.now(),
    (await server.get(ada, '/users')).body,
    (await server.get(ada, '/users/me/subscriptions')).body,
    (await server.get(ada, '/messages', { ...range, num_before: 1_000 })).body,
    (await server.get(ada, '/messages', { ...range, narrow: [['channels', 'public']] })).body,
    (await server.get(null, '/server_settings')).body,
  ];
  for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/xyzzy/i);
});

const ask = (
  server: TestServer,
  { method, path: named }: { readonly method: string; readonly path: string },
  { path = named, params }: Naming,
  person: Person = server.people.ada,
): Promise<Reply> => server.ask(person, { method, path, params });

/** Returns an answer without the names that the request itself had. */
function blurred({ status, body }: Reply, names: Names): unknown {
  const named = new Set<unknown>(Object.values(names));
  const blur = (value: unknown) => {
    if (named.has(value)) return '…';
    if (typeof value !== 'string') return value;
    return [names.email, names.channel, names.queueId]
      .reduce((text, name) => text.replaceAll(name, '…'), value)
      .replace(/\d+/g, (digits) => (named.has(Number(digits)) ? '…' : digits));
  };
  return { status, body: JSON.parse(JSON.stringify(body), (_, value) => blur(value)) };
}
