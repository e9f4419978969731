import { expect } from 'vitest';
import { type Case, ENTERPRISE, found, GROUP, made, patch, USER } from './cases.ts';

const TESTED = 'Microsoft, SCIM-Validation-Test-Overview.md of SCIMReferenceCode';
const ISSUES = 'Microsoft, known issues with SCIM 2.0 compliance (and their flags)';
const ASKED = 'Microsoft, answers to questions about its SCIM validator';

export const ENTRA: readonly Case[] = [
  {
    source: `${TESTED}, SCIM_User_Create_Test and Restore_User_Test`,
    title: 'the name comes back as it was sent, and a deleted user is made again',
    async run(ask, mine) {
      const userName = `${mine.name}@Entra.Example`;
      const sent = {
        schemas: [USER, ENTERPRISE],
        userName,
        emails: [{ type: 'work', value: mine.email }],
      };
      const told = await ask('POST', '/Users', { ...sent, [ENTERPRISE]: { department: 'x' } });
      expect(told).toMatchObject({ status: 201, body: { userName } });
      expect((await ask('DELETE', `/Users/${told.body.id}`)).status).toBe(204);
      const filter = `userName eq "${userName.toLowerCase()}"`;
      expect((await found(ask, '/Users', filter)).totalResults).toBe(0);
      const again = await ask('POST', '/Users', sent);
      expect([again.status, again.body.id]).toEqual([201, told.body.id]);
      expect((await found(ask, '/Users', filter)).Resources).toMatchObject([{ id: told.body.id }]);
    },
  },
  {
    source: `${TESTED}, SCIM_Null_Update_Test`,
    title: 'an empty text and null take an optional attribute away',
    async run(ask, mine) {
      const { body } = await made(ask, mine, {
        displayName: 'Shown',
        name: { givenName: 'Given', familyName: 'Family', formatted: 'Given Family' },
      });
      for (const value of ['', null]) {
        const told = await ask(
          'PATCH',
          `/Users/${body.id}`,
          patch(
            { op: 'replace', path: 'displayName', value },
            { op: 'replace', path: 'name.formatted', value },
            { op: 'replace', path: 'name.familyName', value },
          ),
        );
        expect(told.status).toBe(200);
        expect([told.body.displayName, told.body.name]).toEqual([
          undefined,
          { givenName: 'Given' },
        ]);
      }
    },
  },
  {
    source: `${TESTED}, SCIM_User_Update_Test and SCIM_Group_Update_Test`,
    title: 'each attribute of one value is replaced, and has that value afterwards',
    async run(ask, mine) {
      const { body } = await made(ask, mine);
      const changes = {
        displayName: 'XKWLCONOGMVT',
        externalId: '9950b140-90a0-4201-9d65-b5f209fb4cd0',
        'name.formatted': 'Aric',
        'name.familyName': 'Nia',
        'name.givenName': 'Sandy',
        'name.honorificPrefix': 'Dr.',
        userName: `new.${mine.email}`,
      };
      const sent = Object.entries(changes).map(([path, value]) => ({ op: 'Replace', path, value }));
      expect((await ask('PATCH', `/Users/${body.id}`, patch(...sent))).status).toBe(200);
      const { body: now } = await ask('GET', `/Users/${body.id}`);
      for (const [path, value] of Object.entries(changes)) {
        const [name = '', part] = path.split('.');
        expect([path, part === undefined ? now[name] : now[name][part]]).toEqual([path, value]);
      }
      const group = await ask('POST', '/Groups', { displayName: mine.name });
      const renamed = [
        { op: 'Replace', path: 'displayName', value: `${mine.name} 2` },
        { op: 'Add', path: 'externalId', value: 'g-2' },
      ];
      const path = `/Groups/${group.body.id}`;
      expect((await ask('PATCH', path, patch(...renamed))).status).toBe(200);
      expect((await ask('GET', path)).body).toMatchObject({
        displayName: `${mine.name} 2`,
        externalId: 'g-2',
      });
    },
  },
  {
    source: `${TESTED}, SCIM_User_Pagination_Test`,
    title: 'pages of five say where they begin',
    async run(ask) {
      for (const startIndex of [1, 6, 11]) {
        const { status, body } = await ask('GET', `/Users?startIndex=${startIndex}&count=5`);
        expect([status, body.startIndex, body.Resources.length]).toEqual([200, startIndex, 5]);
      }
    },
  },
  {
    source: `${TESTED}, Schema_Discoverability_Test`,
    title: 'the attributes that Entra maps by default, and that are kept, are in the schemas',
    async run(ask) {
      const { body } = await ask('GET', '/Schemas');
      const namesOf = (urn: string): string[] =>
        body.Resources.find(({ id }: { id: string }) => id === urn).attributes.flatMap(
          (attribute: { name: string; subAttributes?: { name: string }[] }) => [
            attribute.name,
            ...(attribute.subAttributes ?? []).map(({ name }) => `${attribute.name}.${name}`),
          ],
        );
      expect(namesOf(USER)).toEqual(
        expect.arrayContaining([
          'userName',
          'active',
          'displayName',
          'emails.value',
          'emails.type',
          'name.givenName',
          'name.familyName',
          'name.formatted',
        ]),
      );
      expect(namesOf(GROUP)).toEqual(expect.arrayContaining(['displayName', 'members.value']));
    },
  },
  {
    source: ISSUES,
    title: 'operations in capitals, booleans as texts, and members whose names are paths',
    async run(ask, mine) {
      const { body } = await made(ask, mine, { emails: [{ type: 'work', value: mine.email }] });
      const path = `/Users/${body.id}`;
      for (const [value, active] of [
        ['False', false],
        ['True', true],
        ['false', false],
        ['TRUE', true],
      ] as const) {
        const off = patch({ op: 'Replace', path: 'active', value });
        expect((await ask('PATCH', path, off)).body.active).toBe(active);
      }
      const flat = patch({
        op: 'Add',
        value: {
          active: 'False',
          'name.givenName': 'Flat',
          'emails[type eq "work"].value': `flat.${mine.email}`,
          [`${ENTERPRISE}:department`]: 'x',
        },
      });
      expect((await ask('PATCH', path, flat)).body).toMatchObject({
        active: false,
        name: { givenName: 'Flat' },
        emails: [{ type: 'work', value: `flat.${mine.email}` }],
      });
      const many = patch(
        { op: 'Add', path: 'emails[type eq "home"].value', value: `home.${mine.email}` },
        { op: 'Replace', path: 'emails[type eq "work"].primary', value: 'True' },
      );
      expect((await ask('PATCH', path, many)).body.emails).toEqual([
        { type: 'work', value: `flat.${mine.email}`, primary: true },
        { type: 'home', value: `home.${mine.email}` },
      ]);
    },
  },
  {
    source: ISSUES,
    title: 'members are added and removed by lists of values, and asked for without the members',
    async run(ask, mine) {
      const { body: user } = await made(ask, mine);
      const group = await ask('POST', '/Groups', {
        displayName: mine.name,
        externalId: mine.email,
      });
      const path = `/Groups/${group.body.id}`;
      const value = [{ $ref: null, value: user.id }];
      const joined = await ask('PATCH', path, patch({ op: 'Add', path: 'members', value }));
      expect(joined.body.members).toMatchObject([{ value: user.id, type: 'User' }]);
      const asked = await ask('GET', `${path}?excludedAttributes=members`);
      expect([asked.body.displayName, asked.body.members]).toEqual([mine.name, undefined]);
      const isIn = `id eq "${group.body.id}" and members eq "${user.id}"`;
      expect((await found(ask, '/Groups', isIn)).totalResults).toBe(1);
      expect((await found(ask, '/Groups', `externalId eq "${mine.email}"`)).totalResults).toBe(1);
      const left = await ask('PATCH', path, patch({ op: 'Remove', path: 'members', value }));
      expect(left.body.members).toEqual([]);
      expect((await found(ask, '/Groups', isIn)).totalResults).toBe(0);
    },
  },
  {
    source: ASKED,
    title: 'name and address are of two domains, and a deactivated user is found with active',
    async run(ask, mine) {
      const { body } = await made(
        ask,
        { ...mine, email: `${mine.name}@romaguera.example` },
        {
          active: true,
          displayName: 'XKWLCONOGMVT',
          emails: [{ type: 'work', value: mine.email }],
          externalId: mine.name,
          name: { formatted: 'Aric', familyName: 'Nia', givenName: 'Sandy' },
        },
      );
      const sent = patch({ op: 'replace', value: { 'name.givenName': 'Oswaldo', active: false } });
      expect((await ask('PATCH', `/Users/${body.id}`, sent)).status).toBe(200);
      for (const filter of [
        `userName eq "${mine.name.toUpperCase()}@ROMAGUERA.example"`,
        `externalId eq "${mine.name}"`,
        `id eq "${body.id}"`,
        `emails[type eq "work"].value eq "${mine.email}"`,
      ]) {
        const listed = await found(ask, '/Users', filter);
        expect([filter, listed.Resources?.[0]]).toMatchObject([
          filter,
          {
            active: false,
            userName: `${mine.name}@romaguera.example`,
            emails: [{ type: 'work', value: mine.email }],
            name: { formatted: 'Aric', familyName: 'Nia', givenName: 'Oswaldo' },
          },
        ]);
      }
    },
  },
];
