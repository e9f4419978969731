import { expect, test } from 'vitest';
import { openDirectory } from '../support/people/directory.ts';
import { startServer } from '../support/start-server.ts';

const PATCH = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

test('Entra: the sequence of its documentation for users', async () => {
  const { ask } = await openDirectory(await startServer());
  const probe = encodeURIComponent('userName eq "non-existent user"');
  expect(await ask('GET', `/Users?filter=${probe}`)).toMatchObject({
    status: 200,
    body: { totalResults: 0, Resources: [] },
  });
  const made = await ask('POST', '/Users', {
    schemas: [USER, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'tess@example.com',
    active: true,
    displayName: 'lennay',
    emails: [{ primary: true, type: 'work', value: 'tess@example.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [ENTERPRISE]: { department: 'bob' },
  });
  expect(made).toMatchObject({ status: 201, body: { displayName: 'lennay', active: true } });
  const path = `/Users/${made.body.id}`;
  const several = await ask('PATCH', path, {
    schemas: PATCH,
    Operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'tess2@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Replace', path: 'displayName', value: 'Tess New' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'sales' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Lund' },
    ],
  });
  expect(several).toMatchObject({
    status: 200,
    body: {
      userName: 'tess@example.com',
      displayName: 'Tess New',
      name: { givenName: 'givenName', familyName: 'updatedFamilyName' },
      emails: [{ value: 'tess2@example.com', type: 'work', primary: true }],
    },
  });
  const flat = await ask('PATCH', path, {
    schemas: PATCH,
    Operations: [
      {
        op: 'Add',
        value: {
          userName: 'tess3@example.com',
          'name.givenName': 'Tessa',
          [`${ENTERPRISE}:employeeNumber`]: '7',
        },
      },
    ],
  });
  expect(flat.body).toMatchObject({
    userName: 'tess3@example.com',
    displayName: 'Tess New',
    name: { givenName: 'Tessa', familyName: 'updatedFamilyName' },
    emails: [{ value: 'tess2@example.com' }],
  });
  const disabled = await ask('PATCH', path, {
    schemas: PATCH,
    Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
  });
  expect(disabled).toMatchObject({ status: 200, body: { active: false } });
  expect((await ask('GET', path)).body.active).toBe(false);
  expect((await ask('DELETE', path)).status).toBe(204);
});

test('Entra: the sequence of its documentation for groups', async () => {
  const server = await startServer();
  const { ask } = await openDirectory(server);
  const { mel, gus, ada } = server.people;
  const made = await ask('POST', '/Groups', {
    schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Sales EU',
    meta: { resourceType: 'Group' },
  });
  expect(made).toMatchObject({ status: 201, body: { displayName: 'Sales EU', members: [] } });
  const path = `/Groups/${made.body.id}`;
  const found = (filter: string) =>
    ask('GET', `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`);
  const { body } = await found('displayName eq "sales eu"');
  expect(body.totalResults).toBe(1);
  expect(body.Resources[0].members).toBeUndefined();
  const change = (...Operations: object[]) => ask('PATCH', path, { schemas: PATCH, Operations });
  const queue = await server.register(ada, { event_types: ['user_group'] });
  const add = (id: number) => ({
    op: 'Add',
    path: 'members',
    value: [{ $ref: null, value: `${id}` }],
  });
  expect((await change(add(mel.id), add(gus.id), add(mel.id))).status).toBe(200);
  expect(await queue.now()).toMatchObject([
    { op: 'add_members', user_ids: [mel.id, gus.id].sort() },
  ]);
  const isIn = `id eq "${made.body.id}" and members[value eq "${mel.id}"]`;
  expect((await found(isIn)).body.totalResults).toBe(1);
  const removal = { op: 'Remove', path: 'members', value: [{ value: `${mel.id}` }] };
  const left = await change(removal);
  expect(left.body.members).toMatchObject([{ value: `${gus.id}`, type: 'User' }]);
  expect((await found(isIn)).body.totalResults).toBe(0);
  const renamed = await change({ op: 'Replace', path: 'displayName', value: 'Sales' });
  expect(renamed.body.displayName).toBe('Sales');
  expect((await ask('DELETE', path)).status).toBe(204);
  expect((await ask('GET', path)).status).toBe(404);
  const again = await ask('POST', '/Groups', { displayName: 'sales', members: [] });
  expect([again.status, again.body.id, again.body.members]).toEqual([201, made.body.id, []]);
});

test('Okta: its requests for users and groups', async () => {
  const server = await startServer();
  const { ask } = await openDirectory(server);
  const { mel, gus } = server.people;
  const filter = encodeURIComponent('userName eq "test.user@example.com"');
  expect((await ask('GET', `/Users?filter=${filter}&startIndex=1&count=100`)).body).toMatchObject({
    totalResults: 0,
    startIndex: 1,
  });
  const sent = {
    schemas: [USER],
    userName: 'test.user@example.com',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@example.com', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  };
  const made = await ask('POST', '/Users', sent);
  expect(made).toMatchObject({ status: 201, body: { userName: 'test.user@example.com' } });
  const path = `/Users/${made.body.id}`;
  const put = { ...sent, ...made.body, name: { givenName: 'Another', familyName: 'User' } };
  const { body } = await ask('PUT', path, { ...put, displayName: 'Another User' });
  expect(body.name).toMatchObject({ givenName: 'Another', familyName: 'User' });
  const off = { schemas: PATCH, Operations: [{ op: 'replace', value: { active: false } }] };
  expect((await ask('PATCH', path, off)).body.active).toBe(false);
  const group = await ask('POST', '/Groups', {
    schemas: [GROUP],
    displayName: 'Team',
    members: [],
  });
  const groupPath = `/Groups/${group.body.id}`;
  const change = (...Operations: object[]) =>
    ask('PATCH', groupPath, { schemas: PATCH, Operations });
  const rename = { id: group.body.id, displayName: 'Team One' };
  expect((await change({ op: 'replace', value: rename })).body.displayName).toBe('Team One');
  const members = [mel, gus].map(({ id, fullName }) => ({ value: `${id}`, display: fullName }));
  expect(
    (await change({ op: 'replace', path: 'members', value: members })).body.members,
  ).toHaveLength(2);
  const one = { op: 'remove', path: `members[value eq "${mel.id}"]` };
  expect((await change(one)).body.members).toMatchObject([{ value: `${gus.id}` }]);
  expect((await change(one)).status).toBe(200);
  const inactive = [{ value: made.body.id }];
  const joined = await change({ op: 'add', path: 'members', value: inactive });
  expect(joined.body.members).toHaveLength(2);
  const replaced = await ask('PUT', groupPath, { displayName: 'Team One', members: inactive });
  expect(replaced.body.members).toMatchObject(inactive);
  const wrong = await change({ op: 'add', path: 'members', value: [{ value: '999' }] });
  expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidValue']);
  expect(server.bugs).toEqual([]);
});
