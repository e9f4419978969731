import { expect, test, vi } from 'vitest';
import { control } from '../support/cluster/node-processes.ts';
import { speakScim } from '../support/people/directory.ts';
import { personOf, startProcess } from '../support/processes/start-process.ts';

const PATCH = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const patch = (...Operations: object[]) => ({ schemas: PATCH, Operations });
/** The kernel spreads connections over the gateways. */
const CONNECTIONS = 8;

test('with two gateways SCIM is as without, and what was acknowledged is there after a kill', async () => {
  const server = await startProcess({ CONFAB_GATEWAYS: '2' });
  const max = personOf(server, 'max');
  const args = { realm: 'demo' };
  const [made] = await control(server.data, { command: 'scim token', args });
  const { token } = made as { token: string };
  const { ask } = speakScim(server.port, { token, host: 'demo.localhost' });
  const people = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, number) =>
      ask('POST', '/Users', { userName: `person${number}@example.com` }),
    ),
  );
  expect(people.map(({ status }) => status)).toEqual(Array(CONNECTIONS).fill(201));
  const [first = expect.fail('somebody was made')] = people;
  const { body, headers } = first;
  const tag = { 'if-match': String(headers['etag']) };
  const rename = patch({ op: 'replace', path: 'displayName', value: 'Renamed' });
  // All gateways hand on the version that the client has, and one of the changes is the first.
  const changes = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => ask('PATCH', `/Users/${body.id}`, rename, tag)),
  );
  expect(changes.map(({ status }) => status).toSorted()).toEqual([
    200,
    ...Array(CONNECTIONS - 1).fill(412),
  ]);
  const members = people.map(({ body: { id } }) => ({ value: id }));
  const bulk = await ask('POST', '/Bulk', {
    Operations: [
      { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'All', members } },
      {
        method: 'PATCH',
        path: `/Users/${max.id}`,
        data: patch({ op: 'replace', value: { active: false } }),
      },
    ],
  });
  expect(bulk.body.Operations).toMatchObject([{ status: '201' }, { status: '200' }]);
  await vi.waitFor(async () => {
    const answers = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => server.get(max, '/users/me')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(CONNECTIONS).fill(401));
  });

  await server.kill();
  const search = { filter: 'userName sw "person" or displayName eq "All"', count: 100 };
  const found = await ask('POST', '/.search', search);
  expect(found.body.totalResults).toBe(CONNECTIONS + 1);
  expect(found.body.Resources.at(-1).members).toHaveLength(CONNECTIONS);
  expect((await ask('GET', `/Users/${body.id}`)).body.displayName).toBe('Renamed');
  expect((await ask('GET', `/Users/${max.id}`)).body.active).toBe(false);
  expect((await server.get(max, '/users/me')).status).toBe(401);
});
