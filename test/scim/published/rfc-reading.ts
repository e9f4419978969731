import { expect } from 'vitest';
import type { Told } from '../../support/people/directory.ts';
import { type Case, ERROR, found, GROUP, LIST, made, patch, RFC7644, USER } from './cases.ts';

const SEARCH = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'];
const TESTER = 'scim2-tester (PyPI)';

export const RFC_READING: readonly Case[] = [
  {
    source: `${RFC7644} 3.3`,
    title: 'a new resource has an id, a location, a version and the time of its creation',
    async run(ask, { email }) {
      const name = { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen' };
      const told = await ask('POST', '/Users', {
        schemas: [USER],
        userName: email,
        externalId: 'bjensen',
        name: { ...name, givenName: 'Barbara' },
      });
      expect(told.status).toBe(201);
      const { meta, id } = told.body;
      expect(told.body).toMatchObject({ externalId: 'bjensen', name });
      expect(meta).toMatchObject({ resourceType: 'User', version: told.headers['etag'] });
      expect(meta.location).toBe(told.headers['location']);
      expect(meta.location.endsWith(`/scim/v2/Users/${id}`)).toBe(true);
      expect(new Date(meta.created).toISOString()).toBe(meta.created);
      expect((await ask('GET', `/Users/${id}`)).body).toEqual(told.body);
    },
  },
  {
    source: `${RFC7644} 3.3`,
    title: 'a taken name is refused with 409 and the scimType uniqueness, whatever its case',
    async run(ask, mine) {
      await made(ask, mine);
      const again = await ask('POST', '/Users', { userName: mine.email.toUpperCase() });
      expect(again).toMatchObject({
        status: 409,
        body: { schemas: [ERROR], status: '409', scimType: 'uniqueness' },
      });
    },
  },
  {
    source: `${RFC7644} 3.4.2.2`,
    title: 'the examples of filters find what they describe',
    async run(ask, mine) {
      const { body } = await made(ask, mine, {
        name: { familyName: "O'Malley", givenName: mine.name },
        emails: [{ type: 'work', value: mine.email, primary: true }],
      });
      const finds = async (filter: string) => {
        const all = await found(ask, '/Users', `${filter} and id eq "${body.id}"`);
        return all.totalResults === 1;
      };
      for (const filter of [
        `userName Eq "${mine.email}"`,
        `username eq "${mine.email.toUpperCase()}"`,
        `name.familyName co "O'Malley"`,
        `userName sw "${mine.email[0]}"`,
        `${USER}:userName sw "${mine.email[0]}"`,
        'name pr',
        'meta.created gt "2011-05-13T04:42:34Z"',
        'meta.created ge "2011-05-13T04:42:34Z"',
        'name pr and active eq true',
        'title pr or active eq true',
        `schemas eq "${USER}"`,
        `userName pr and (emails co "example.com" or emails.value co "example.org")`,
        `userName ne "x" and not (emails co "example.org" or emails.value co "example.net")`,
        `userName pr and (emails.type eq "work")`,
        `userName pr and emails[type eq "work" and value co "@example.com"]`,
        `emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]`,
      ]) {
        expect([filter, await finds(`(${filter})`)]).toEqual([filter, true]);
      }
      for (const filter of [
        'title pr',
        'meta.created lt "2011-05-13T04:42:34Z"',
        'active eq false',
      ]) {
        expect([filter, await finds(`(${filter})`)]).toEqual([filter, false]);
      }
    },
  },
  {
    source: `${RFC7644} 3.4.2.4`,
    title: 'pages begin at 1, and a negative count is 0',
    async run(ask) {
      const all = (await ask('GET', '/Users')).body;
      const page = (await ask('GET', '/Users?startIndex=2&count=1')).body;
      expect(page).toMatchObject({ schemas: [LIST], startIndex: 2, itemsPerPage: 1 });
      expect(page.Resources).toEqual([all.Resources[1]]);
      const none = (await ask('GET', '/Users?count=-3&startIndex=0')).body;
      expect(none).toMatchObject({
        itemsPerPage: 0,
        startIndex: 1,
        totalResults: all.totalResults,
      });
    },
  },
  {
    source: 'RFC 9865, sections 2 and 3',
    title: 'a cursor leads through all pages once, and a wrong one is refused',
    async run(ask) {
      const all = (await ask('GET', '/Users')).body;
      const ids: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body }: Told = await ask('GET', `/Users?cursor=${cursor}&count=3`);
        expect(body.totalResults).toBe(all.totalResults);
        expect(body.startIndex).toBeUndefined();
        ids.push(...body.Resources.map(({ id }: { id: string }) => id));
        cursor = body.nextCursor;
      }
      expect(ids).toEqual(all.Resources.map(({ id }: { id: string }) => id));
      const wrong = await ask('GET', '/Users?cursor=abc');
      expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidCursor']);
    },
  },
  {
    source: `${RFC7644} 3.4.3`,
    title: 'a search by POST finds what the same query finds, also in all kinds of resources',
    async run(ask, { name, email }) {
      const user = await made(ask, { name, email }, { displayName: name });
      const group = await ask('POST', '/Groups', { schemas: [GROUP], displayName: name });
      const search = {
        schemas: SEARCH,
        attributes: ['displayName', 'userName'],
        filter: `displayName sw "${name}"`,
        startIndex: 1,
        count: 10,
      };
      const both = await ask('POST', '/.search', search);
      expect(both).toMatchObject({ status: 200, body: { schemas: [LIST], totalResults: 2 } });
      expect(both.body.Resources).toEqual([
        { schemas: [USER], id: user.body.id, userName: email, displayName: name },
        { schemas: [GROUP], id: group.body.id, displayName: name },
      ]);
      for (const [path, { body }] of [
        ['/Users', user],
        ['/Groups', group],
      ] as const) {
        const one = await ask('POST', `${path}/.search`, search);
        expect(one.body.Resources.map(({ id }: { id: string }) => id)).toEqual([body.id]);
      }
      expect((await ask('GET', '/.search')).status).toBe(405);
      const wrong = await ask('POST', '/.search', { filter: { eq: 1 } });
      expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidValue']);
    },
  },
  {
    source: `${RFC7644} 3.9`,
    title: 'attributes and excludedAttributes name attributes, parts and whole paths',
    async run(ask, mine) {
      const { body } = await made(ask, mine, {
        name: { givenName: 'Babs', familyName: 'Jensen' },
        emails: [{ value: mine.email, type: 'work' }],
      });
      const keysOf = async (query: string) => (await ask('GET', `/Users/${body.id}?${query}`)).body;
      expect(await keysOf('attributes=username')).toEqual({
        schemas: [USER],
        id: body.id,
        userName: mine.email,
      });
      expect(await keysOf(`attributes=${USER}:name.familyName,emails.value`)).toEqual({
        schemas: [USER],
        id: body.id,
        name: { familyName: 'Jensen' },
        emails: [{ value: mine.email }],
      });
      const { emails, ...rest } = body;
      void emails;
      expect(await keysOf('excludedAttributes=emails')).toEqual(rest);
      const partly = await keysOf('excludedAttributes=name.givenName,id');
      expect([partly.name, partly.id]).toEqual([{ familyName: 'Jensen' }, body.id]);
      const post = await ask('POST', '/Users?attributes=id', { userName: `x.${mine.email}` });
      expect(Object.keys(post.body).toSorted()).toEqual(['id', 'schemas']);
    },
  },
  {
    source: `${RFC7644} 3.11 and 3.12`,
    title: 'what is not there is answered with an error of SCIM',
    async run(ask) {
      const at = async (method: string, path: string) => {
        const { status, body } = await ask(method, path, method === 'GET' ? undefined : {});
        expect(body).toMatchObject({ schemas: [ERROR], status: String(status) });
        return status;
      };
      expect(await at('GET', '/Me')).toBe(501);
      expect(await at('GET', '/Nothing')).toBe(404);
      expect(await at('GET', '/Users/0')).toBe(404);
      expect(await at('GET', '/Bulk')).toBe(405);
      expect(await at('POST', '/Users/1')).toBe(405);
      expect(await at('GET', `/Schemas?filter=${encodeURIComponent('id pr')}`)).toBe(403);
    },
  },
  {
    source: 'RFC 7643, section 3.1',
    title: 'no user and no group have the same id',
    async run(ask, { name }) {
      await ask('POST', '/Groups', { displayName: name });
      const { body } = await ask('POST', '/.search', { attributes: 'id' });
      const ids = body.Resources.map(({ id }: { id: string }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    },
  },
  {
    source: TESTER,
    title: 'a name that is no address is kept beside an address of another name',
    async run(ask, { name, email }) {
      const { body } = await made(
        ask,
        { name, email: name },
        {
          emails: [{ value: email }],
          name: { formatted: 'f', givenName: 'g', familyName: 'm', middleName: 'x' },
          displayName: 'Shown',
        },
      );
      expect(body).toMatchObject({
        userName: name,
        emails: [{ value: email }],
        displayName: 'Shown',
        name: { formatted: 'f', givenName: 'g', familyName: 'm', middleName: 'x' },
      });
      const gone = patch({ op: 'remove', path: 'name' }, { op: 'remove', path: 'displayName' });
      const told = await ask('PATCH', `/Users/${body.id}`, gone);
      expect([told.body.name, told.body.displayName]).toEqual([undefined, undefined]);
      const none = await ask('POST', '/Users', { userName: `${name} 2` });
      expect([none.status, none.body.scimType]).toEqual([400, 'invalidValue']);
    },
  },
];
