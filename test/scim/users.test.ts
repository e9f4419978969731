import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { openDirectory } from '../support/people/directory.ts';
import { startServer } from '../support/start-server.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ZOE = { schemas: [USER], userName: 'zoe@example.com', displayName: 'Zoe Zhou' };

async function started(env?: Record<string, string>) {
  const server = await startServer(env === undefined ? {} : { env });
  const directory = await openDirectory(server);
  return { server, directory, ask: directory.ask };
}

const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

test('an account is made, found, changed, deactivated and made again', async () => {
  const { server, ask } = await started();
  const { ada } = server.people;
  const queue = await server.register(ada, { event_types: ['realm_user'] });
  const made = await ask('POST', '/Users', { ...ZOE, externalId: 'z-1' });
  expect(made.status).toBe(201);
  expect(made.headers['content-type']).toBe('application/scim+json');
  const { id } = made.body;
  expect(made.headers['location']).toBe(made.body.meta.location);
  expect(made.body).toMatchObject({
    schemas: [USER],
    externalId: 'z-1',
    userName: 'zoe@example.com',
    displayName: 'Zoe Zhou',
    name: { formatted: 'Zoe Zhou', givenName: 'Zoe', familyName: 'Zhou' },
    active: true,
    emails: [{ value: 'zoe@example.com', type: 'work', primary: true }],
    meta: { resourceType: 'User' },
  });
  expect(await queue.now()).toMatchObject([{ op: 'add', person: { full_name: 'Zoe Zhou' } }]);
  expect((await ask('GET', `/Users/${id}`)).body).toEqual(made.body);
  const again = await ask('POST', '/Users', { ...ZOE, userName: 'ZOE@example.com' });
  expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness']);
  const put = await ask('PUT', `/Users/${id}`, {
    ...ZOE,
    userName: 'zz@example.com',
    active: false,
  });
  expect(put.body).toMatchObject({ userName: 'zz@example.com', active: false });
  expect(put.body.externalId).toBeUndefined();
  expect((await ask('PUT', `/Users/${id}`, { ...ZOE, active: true })).body.active).toBe(true);
  const gone = await ask('DELETE', `/Users/${id}`);
  expect([gone.status, gone.body]).toEqual([204, '']);
  expect((await ask('GET', `/Users/${id}`)).status).toBe(404);
  expect((await ask('DELETE', `/Users/${id}`)).body.status).toBe('404');
  const filter = encodeURIComponent('userName eq "zoe@example.com"');
  expect((await ask('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(0);
  const back = await ask('POST', '/Users', { ...ZOE, displayName: 'Zoe Back' });
  expect([back.status, back.body.id, back.body.active]).toEqual([201, id, true]);
  expect(back.body.displayName).toBe('Zoe Back');
});

test('a name that is missing, too short or wrong is refused with its attributes', async () => {
  const { ask } = await started();
  const refused = (fault: string) => ({
    status: 400,
    body: {
      scimType: 'invalidValue',
      detail: `displayName or name.formatted has to be a full name: ${fault}`,
    },
  });
  const short = { schemas: [USER], userName: 'a@example.com' };
  expect(await ask('POST', '/Users', short)).toMatchObject(refused('Name too short!'));
  const { id } = (await ask('POST', '/Users', ZOE)).body;
  const put = await ask('PUT', `/Users/${id}`, { ...ZOE, displayName: 'Z' });
  expect(put).toMatchObject(refused('Name too short!'));
  const change = patch({ op: 'replace', path: 'displayName', value: 'Z*e' });
  const patched = await ask('PATCH', `/Users/${id}`, change);
  expect(patched).toMatchObject(refused('Invalid characters in name!'));
});

test('what is taken is refused with its attribute', async () => {
  const { server, ask } = await started();
  const { ada, mel } = server.people;
  const refused = (detail: string) => ({
    status: 409,
    body: { scimType: 'uniqueness', detail: expect.stringContaining(detail) },
  });
  const made = await ask('POST', '/Users', { ...ZOE, externalId: 'z-1' });
  const path = `/Users/${made.body.id}`;
  expect(await ask('POST', '/Users', ZOE)).toMatchObject(refused('userName is taken'));
  const emails = [{ value: mel.email, type: 'work' }];
  expect(await ask('PUT', path, { ...ZOE, emails })).toMatchObject(refused('emails is taken'));
  const other = { ...ZOE, userName: 'zz@example.com' };
  expect(await ask('POST', '/Users', { ...other, emails })).toMatchObject(
    refused('emails is taken'),
  );

  await server.patch(ada, '/realm', { require_unique_names: true });
  const name = 'displayName or name.formatted has to be unique: there is an account called';
  const called = (displayName: string) =>
    patch({ op: 'replace', path: 'displayName', value: displayName });
  expect(await ask('POST', '/Users', other)).toMatchObject(refused(`${name} Zoe Zhou.`));
  expect(await ask('PATCH', path, called('mel member'))).toMatchObject(refused(name));
  expect((await ask('PATCH', path, called('ZOE ZHOU'))).status).toBe(200);
  expect((await ask('DELETE', path)).status).toBe(204);
  expect((await ask('PATCH', `/Users/${mel.id}`, called('Zoe Zhou'))).status).toBe(200);
  expect(await ask('POST', '/Users', ZOE)).toMatchObject(refused(name));

  const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Cooks' };
  expect((await ask('POST', '/Groups', group)).status).toBe(201);
  expect(await ask('POST', '/Groups', group)).toMatchObject(refused('displayName is taken'));
});

test('lists are filtered and paged, and bots are not in them', async () => {
  const { server, ask } = await started();
  const { mel } = server.people;
  await ask('POST', '/Users', { ...ZOE, externalId: 'z-1' });
  const list = async (filter: string, more = '') =>
    (await ask('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`)).body;
  expect((await list(`userName eq "${mel.email.toUpperCase()}"`)).Resources).toMatchObject([
    { id: String(mel.id) },
  ]);
  expect((await list('externalId eq "z-1"')).totalResults).toBe(1);
  expect((await list('externalId eq "Z-1"')).totalResults).toBe(0);
  expect((await list('active eq true and emails[type eq "work"].value pr')).totalResults).toBe(
    (await list('')).totalResults,
  );
  expect((await list('userName sw "zo" or name.familyName co "hou"')).totalResults).toBe(1);
  expect((await list('emails[type eq "work" and value eq "zoe@example.com"]')).totalResults).toBe(
    1,
  );
  const all = (await ask('GET', '/Users')).body;
  const names = all.Resources.map(({ userName }: { userName: string }) => userName);
  expect(all.totalResults).toBe(names.length);
  expect(names).toContain(mel.email);
  expect(names.join(' ')).not.toContain('bot');
  const page = (await ask('GET', '/Users?startIndex=2&count=2&attributes=userName')).body;
  expect(page).toMatchObject({ startIndex: 2, itemsPerPage: 2, totalResults: names.length });
  expect(page.Resources.map(({ userName }: { userName: string }) => userName)).toEqual(
    names.slice(1, 3),
  );
  expect(Object.keys(page.Resources[0]).sort()).toEqual(['id', 'schemas', 'userName']);
  expect((await ask('GET', '/Users?count=0')).body.Resources).toEqual([]);
  const wrong = await ask('GET', '/Users?filter=userName');
  expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidFilter']);
});

test('a patch changes what it names, and nothing if it is wrong', async () => {
  const { ask } = await started();
  const named = { userName: 'zoe@example.com', name: { givenName: 'Zoe', familyName: 'Zhou' } };
  const { id } = (await ask('POST', '/Users', named)).body;
  const change = (...operations: object[]) => ask('PATCH', `/Users/${id}`, patch(...operations));
  const family = { op: 'replace', path: 'name.familyName', value: 'Zander' };
  expect((await change(family)).body.displayName).toBe('Zoe Zander');
  const email = { op: 'Replace', path: 'emails[type eq "work"].value', value: 'z2@example.com' };
  expect((await change(email)).body).toMatchObject({
    userName: 'zoe@example.com',
    emails: [{ value: 'z2@example.com', type: 'work', primary: true }],
  });
  const refused = async (operation: object) => {
    const { status, body } = await change(
      { op: 'add', path: 'displayName', value: 'X Y' },
      operation,
    );
    expect((await ask('GET', `/Users/${id}`)).body.displayName).toBe('Zoe Zander');
    return [status, body.scimType];
  };
  expect(await refused({ op: 'replace', path: 'id', value: '9' })).toEqual([400, 'mutability']);
  expect(await refused({ op: 'add', path: 'shoeSize', value: 9 })).toEqual([400, 'invalidPath']);
  expect(await refused({ op: 'move', path: 'active' })).toEqual([400, 'invalidSyntax']);
  expect(await refused({ op: 'remove' })).toEqual([400, 'noTarget']);
  expect(await refused({ op: 'replace', path: 'active', value: 'no' })).toEqual([
    400,
    'invalidValue',
  ]);
  expect(await refused({ op: 'replace', path: 'userName', value: 'mel@example.com' })).toEqual([
    409,
    'uniqueness',
  ]);
  expect(await refused({ op: 'remove', path: 'userName' })).toEqual([400, 'invalidValue']);
  const none = { op: 'replace', path: 'emails[type ne "work"].value', value: 'z3@example.com' };
  expect(await refused(none)).toEqual([400, 'noTarget']);
  const many = await change(...Array.from({ length: 101 }, () => family));
  expect(many.body.scimType).toBe('tooMany');
});

test('owners are changed by owners, but leave with the directory; the last one stays', async () => {
  const { server, ask } = await started();
  const { ona } = server.people;
  const email = { op: 'replace', path: 'userName', value: 'thief@example.com' };
  expect((await ask('PATCH', `/Users/${ona.id}`, patch(email))).status).toBe(403);
  const last = await ask('DELETE', `/Users/${ona.id}`);
  expect([last.status, last.body.detail]).toEqual([
    400,
    'Cannot deactivate the only organization owner',
  ]);
  const mel = { realm: 'test', email: server.people.mel.email };
  await runCommand(server.app.realms, 'user role', { ...mel, role: 'owner' });
  expect((await ask('DELETE', `/Users/${server.people.mel.id}`)).status).toBe(204);
});

test('a wrong token is refused and counted, a right one is not; a realm has its own', async () => {
  const { server, directory, ask } = await started({ CONFAB_ANONYMOUS_REQUESTS_PER_MINUTE: '3' });
  const other = await server.addRealm('other');
  void other;
  expect((await ask('GET', '/Users', undefined, { host: 'other.localhost' })).status).toBe(401);
  const wrong = { authorization: `Bearer ${'x'.repeat(43)}` };
  const refused = await ask('GET', '/Users', undefined, wrong);
  expect(refused.status).toBe(401);
  expect(refused.headers['www-authenticate']).toBe('Bearer realm="scim"');
  expect(refused.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
  expect((await ask('GET', '/Users', undefined, { authorization: '' })).status).toBe(401);
  const late = await ask('GET', '/Users', undefined, wrong);
  expect([late.status, late.body.status]).toEqual([429, '429']);
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  for (let run = 0; run < 10; run += 1) expect((await ask('GET', '/Schemas')).status).toBe(200);
  const stored = await server.perform((tx) => tx.scimTokens.get(['token']));
  expect(JSON.stringify(stored)).not.toContain(directory.token);
  const next = await openDirectory(server);
  expect((await next.ask('GET', '/Users')).status).toBe(200);
  const realms = server.app.realms;
  await runCommand(realms, 'scim token', { realm: 'test', revoke: true });
  const revoked = runCommand(realms, 'scim token', { realm: 'test', revoke: true });
  await expect(revoked).rejects.toThrow(/no token/);
});

test('the audit log names the directory, the command, and no secret', async () => {
  const { server, directory, ask } = await started();
  await ask('POST', '/Users', { ...ZOE, externalId: 'z-1', password: 'hunter22' });
  const lines = await runCommand(server.app.realms, 'audit', { realm: 'test' });
  const text = JSON.stringify(lines);
  expect(text).not.toContain(directory.token);
  expect(text).not.toContain('hunter22');
  expect(lines).toContainEqual(expect.objectContaining({ by: 'scim', kind: 'user', op: 'add' }));
  expect(lines).toContainEqual(expect.objectContaining({ by: 'scim', kind: 'identity' }));
  expect(lines).toContainEqual(expect.objectContaining({ by: 'operator', kind: 'scim_token' }));
});

test('bad bodies are refused in the form of SCIM, and documents say what there is', async () => {
  const { server, ask } = await started();
  const invalid = async (body: unknown, headers?: object) => {
    const { status, body: said } = await ask('POST', '/Users', body, headers);
    return [status, said.scimType];
  };
  expect(await invalid('{')).toEqual([400, 'invalidSyntax']);
  expect(await invalid([])).toEqual([400, 'invalidSyntax']);
  expect(await invalid({ displayName: 'No Address' })).toEqual([400, 'invalidValue']);
  expect(await invalid({ userName: 'no-address' })).toEqual([400, 'invalidValue']);
  expect(await invalid({ userName: { a: 1 } })).toEqual([400, 'invalidValue']);
  expect(await invalid({ ...ZOE, externalId: 'x'.repeat(501) })).toEqual([400, 'invalidValue']);
  expect(await invalid(ZOE, { 'content-type': 'application/json' })).toEqual([201, undefined]);
  expect((await ask('POST', '/Users', ' '.repeat(1024 * 1024 + 1))).status).toBe(413);
  expect((await ask('GET', '/Nothing')).body.status).toBe('404');
  expect((await ask('PATCH', '/Users', {})).status).toBe(405);
  expect((await ask('POST', '/Schemas', {})).body.status).toBe('405');
  expect((await ask('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 200, maxPayloadSize: 1024 * 1024 },
    etag: { supported: true },
    sort: { supported: false },
    filter: { supported: true, maxResults: 200 },
  });
  expect((await ask('GET', `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
  expect((await ask('GET', '/ResourceTypes')).body.totalResults).toBe(2);
  expect(server.bugs).toEqual([]);
});
