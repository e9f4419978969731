import { expect } from 'vitest';
import { type Case, ERROR, made, patch, RFC7644, USER } from './cases.ts';

export const RFC_CHANGES: readonly Case[] = [
  {
    source: `${RFC7644} 3.5.1`,
    title: 'a PUT replaces all, and values that only the server writes are ignored',
    async run(ask, mine) {
      const { body } = await made(ask, mine, {
        externalId: 'one',
        name: { givenName: 'Babs', familyName: 'Jensen' },
      });
      const told = await ask('PUT', `/Users/${body.id}`, {
        schemas: [USER],
        id: '999999',
        userName: mine.email,
        emails: [{ value: mine.email }, { value: 'home@example.org', type: 'home' }],
        meta: { created: '2001-01-01T00:00:00Z' },
      });
      expect(told.body).toMatchObject({
        id: body.id,
        emails: [{ value: mine.email }, { value: 'home@example.org', type: 'home' }],
        meta: { created: body.meta.created },
      });
      expect(told.body.externalId).toBeUndefined();
    },
  },
  {
    source: `${RFC7644} 3.5.2.1`,
    title: 'an addition keeps what is there, and changes nothing if it is there already',
    async run(ask, mine) {
      const { body } = await made(ask, mine, { emails: [{ value: mine.email, type: 'work' }] });
      const home = { value: `home.${mine.email}`, type: 'home' };
      const add = patch({ op: 'add', value: { emails: [home], displayName: 'Babs' } });
      const first = await ask('PATCH', `/Users/${body.id}`, add);
      expect(first.body).toMatchObject({
        displayName: 'Babs',
        emails: [{ value: mine.email, type: 'work' }, home],
      });
      expect((await ask('PATCH', `/Users/${body.id}`, add)).body).toEqual(first.body);
    },
  },
  {
    source: `${RFC7644} 3.5.2`,
    title: 'an address that becomes the primary one takes that from the others',
    async run(ask, mine) {
      const home = { value: `home.${mine.email}`, type: 'home', primary: true };
      const { body } = await made(ask, mine, {
        emails: [{ value: mine.email, type: 'other', primary: true }],
      });
      const told = await ask(
        'PATCH',
        `/Users/${body.id}`,
        patch({ op: 'add', path: 'emails', value: [home] }),
      );
      expect(told.body.emails).toEqual([
        { value: mine.email, type: 'other', primary: false },
        home,
      ]);
      const two = [home, { value: mine.email, primary: true }];
      const wrong = await ask('PUT', `/Users/${body.id}`, { userName: mine.email, emails: two });
      expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidValue']);
    },
  },
  {
    source: `${RFC7644} 3.5.2.2`,
    title: 'members are removed by a filter, by their values, and all at once',
    async run(ask, mine) {
      const people = [];
      for (const word of ['a', 'b', 'c', 'd']) {
        people.push((await made(ask, { ...mine, email: `${word}.${mine.email}` })).body.id);
      }
      const members = people.map((value) => ({ value }));
      const group = await ask('POST', '/Groups', { displayName: mine.name, members });
      const path = `/Groups/${group.body.id}`;
      const after = async (operation: object): Promise<string[]> => {
        const { body } = await ask('PATCH', path, patch(operation));
        return body.members.map(({ value }: { value: string }) => value);
      };
      const [a, b, c, d] = people;
      expect(await after({ op: 'remove', path: `members[value eq "${a}"]` })).toEqual([b, c, d]);
      expect(await after({ op: 'remove', path: 'members', value: [{ value: b }] })).toEqual([c, d]);
      expect(
        await after({ op: 'remove', path: `members[value eq "${c}" or value eq "${d}"]` }),
      ).toEqual([]);
      expect(await after({ op: 'add', path: 'members', value: members })).toHaveLength(4);
      expect(await after({ op: 'remove', path: 'members' })).toEqual([]);
    },
  },
  {
    source: `${RFC7644} 3.5.2.3`,
    title: 'a replacement without a path replaces what value has, and that of an element alone',
    async run(ask, mine) {
      const { body } = await made(ask, mine, {
        displayName: 'One',
        emails: [{ value: mine.email, type: 'work', primary: true }],
      });
      const both = patch(
        { op: 'replace', value: { displayName: 'Two', name: { givenName: 'Two' } } },
        { op: 'replace', path: 'emails[type eq "work"].display', value: 'Office' },
      );
      expect((await ask('PATCH', `/Users/${body.id}`, both)).body).toMatchObject({
        displayName: 'Two',
        name: { givenName: 'Two' },
        emails: [{ value: mine.email, type: 'work', display: 'Office', primary: true }],
      });
    },
  },
  {
    source: `${RFC7644} 3.14`,
    title: 'versions: a known one is not sent again, and a change of another one is refused',
    async run(ask, mine) {
      const { body, headers } = await made(ask, mine);
      const path = `/Users/${body.id}`;
      const tag = String(headers['etag']);
      expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
      const same = await ask('GET', path, undefined, { 'if-none-match': tag });
      expect([same.status, same.body]).toEqual([304, '']);
      const rename = patch({ op: 'replace', path: 'displayName', value: 'New' });
      const changed = await ask('PATCH', path, rename, { 'if-match': tag });
      expect(changed.status).toBe(200);
      expect(changed.headers['etag']).not.toBe(tag);
      const put = { userName: mine.email };
      for (const [method, sent] of [
        ['PATCH', rename],
        ['PUT', put],
        ['DELETE', undefined],
      ] as const) {
        const late = await ask(method, path, sent, { 'if-match': tag });
        expect(late).toMatchObject({ status: 412, body: { schemas: [ERROR], status: '412' } });
      }
      const next = String(changed.headers['etag']);
      expect((await ask('GET', path, undefined, { 'if-none-match': tag })).status).toBe(200);
      expect((await ask('PUT', path, put, { 'if-match': `"x", ${next}` })).status).toBe(200);
      expect((await ask('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
    },
  },
];
