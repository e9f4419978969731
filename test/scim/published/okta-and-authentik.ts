import { expect } from 'vitest';
import { type Case, ERROR, found, GROUP, LIST, made, patch, USER } from './cases.ts';

const OKTA = 'Okta, SCIM 2.0 SPEC test (Okta-SCIM-20-SPEC-Test.json)';
const OKTA_USES = 'Okta, SCIM 2.0 protocol reference';
const KEYCLOAK = 'keycloak-scim (mitodl), UserAdapter.java';
const AUTHENTIK = 'Authentik, blueprints/system/providers-scim.yaml';

export const OTHERS: readonly Case[] = [
  {
    source: OKTA,
    title: 'the required and optional tests of users and groups',
    async run(ask, { name, email }) {
      const listed = (await ask('GET', '/Users?count=1&startIndex=1')).body;
      expect(listed.schemas).toContain(LIST);
      for (const key of ['itemsPerPage', 'startIndex', 'totalResults']) {
        expect(listed[key]).toEqual(expect.any(Number));
      }
      const [first] = listed.Resources;
      expect(first).toMatchObject({
        id: expect.any(String),
        name: { familyName: expect.any(String), givenName: expect.any(String) },
        userName: expect.any(String),
        active: expect.any(Boolean),
        emails: [{ value: expect.any(String) }],
      });
      expect((await ask('GET', `/Users/${first.id}`)).body.id).toBe(first.id);
      expect((await found(ask, '/Users', 'userName eq "abcdefgh@example.com"')).totalResults).toBe(
        0,
      );
      const missing = await ask('GET', '/Users/010101001010101011001010101011');
      expect(missing).toMatchObject({
        status: 404,
        body: { schemas: [ERROR], status: '404', detail: expect.any(String) },
      });
      const user = {
        schemas: [USER],
        userName: email,
        name: { givenName: 'Runscope300', familyName: name },
        emails: [{ primary: true, value: email, type: 'work' }],
        displayName: `Runscope300 ${name}`,
        active: true,
      };
      const told = await ask('POST', '/Users', user);
      expect(told).toMatchObject({ status: 201, body: user });
      expect((await ask('GET', `/Users/${told.body.id}`)).body).toMatchObject(user);
      expect((await ask('POST', '/Users', user)).status).toBe(409);
      expect(
        (await found(ask, '/Users', `userName eq "${email.toUpperCase()}"`)).totalResults,
      ).toBe(1);
      expect((await ask('GET', '/Groups')).body).toMatchObject({
        totalResults: expect.any(Number),
        Resources: expect.any(Array),
      });
    },
  },
  {
    source: OKTA_USES,
    title: 'users are deactivated by PATCH without a path and by PUT, and come back',
    async run(ask, mine) {
      const { body } = await made(ask, mine, { active: true });
      const path = `/Users/${body.id}`;
      const turn = (active: boolean) => patch({ op: 'replace', value: { active } });
      expect((await ask('PATCH', path, turn(false))).body.active).toBe(false);
      expect((await ask('GET', path)).body.active).toBe(false);
      expect((await ask('PATCH', path, turn(true))).body.active).toBe(true);
      expect((await ask('PUT', path, { ...body, active: false })).body.active).toBe(false);
      const listed = await found(ask, '/Users', `userName eq "${mine.email}"`);
      expect(listed.Resources).toMatchObject([{ id: body.id, active: false }]);
    },
  },
  {
    source: OKTA_USES,
    title: 'groups are pushed: by displayName, with id in the value, and members by their values',
    async run(ask, mine) {
      const { body: user } = await made(ask, mine);
      const group = await ask('POST', '/Groups', {
        schemas: [GROUP],
        displayName: mine.name,
        members: [],
      });
      expect((await found(ask, '/Groups', `displayName eq "${mine.name}"`)).totalResults).toBe(1);
      const path = `/Groups/${group.body.id}`;
      const told = await ask(
        'PATCH',
        path,
        patch(
          { op: 'replace', value: { id: group.body.id, displayName: `${mine.name} 1` } },
          { op: 'replace', path: 'members', value: [{ value: user.id, display: mine.email }] },
        ),
      );
      expect(told.body).toMatchObject({
        displayName: `${mine.name} 1`,
        members: [{ value: user.id }],
      });
      expect((await ask('DELETE', path)).status).toBe(204);
    },
  },
  {
    source: AUTHENTIK,
    title: 'its mapping: a short name, an address of the type other, and no names or active',
    async run(ask, { name, email }) {
      const sent = {
        schemas: [USER],
        externalId: name,
        userName: name,
        name: { formatted: 'Akadmin', givenName: 'Akadmin', familyName: '' },
        photos: [],
        locale: null,
        emails: [{ value: email, type: 'other', primary: true }],
      };
      const told = await ask('POST', '/Users', sent);
      expect(told).toMatchObject({
        status: 201,
        body: { userName: name, displayName: 'Akadmin', active: true, emails: sent.emails },
      });
      const moved = { ...sent, emails: [{ ...sent.emails[0], value: `new.${email}` }] };
      const put = await ask('PUT', `/Users/${told.body.id}`, moved);
      expect(put.body).toMatchObject({ userName: name, emails: moved.emails });
    },
  },
  {
    source: KEYCLOAK,
    title: 'its mapping: a short name, an address without a type, and roles',
    async run(ask, { name, email }) {
      const sent = {
        schemas: [USER],
        externalId: `kc-${name}`,
        userName: name,
        displayName: 'Kay Cloak',
        emails: [{ value: email, primary: true }],
        active: true,
        roles: [{ value: 'x' }],
      };
      const { status, body } = await ask('POST', '/Users', sent, {
        'content-type': 'application/json',
      });
      const { roles, ...kept } = sent;
      void roles;
      expect([status, body]).toMatchObject([201, kept]);
      const put = { ...sent, id: body.id, meta: { location: `Users/${body.id}` }, active: false };
      expect((await ask('PUT', `/Users/${body.id}`, put)).body).toMatchObject({
        ...kept,
        active: false,
      });
    },
  },
];
