import { expect } from 'vitest';
import { type Case, ERROR, GROUP, made, patch, RFC7644, USER } from './cases.ts';

export const RFC_BULK: readonly Case[] = [
  {
    source: `${RFC7644} 3.7.1 and 3.7.2`,
    title: 'a bulk request makes a user and a group that refers to it by its bulkId',
    async run(ask, { name, email }) {
      const told = await ask('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'ytrewq',
            data: {
              schemas: [GROUP],
              displayName: name,
              members: [{ type: 'User', value: 'bulkId:qwerty' }],
            },
          },
          {
            method: 'POST',
            path: '/Users',
            bulkId: 'qwerty',
            data: { schemas: [USER], userName: email },
          },
          {
            method: 'PATCH',
            path: '/Users/bulkId:qwerty',
            data: patch({ op: 'replace', path: 'displayName', value: 'Alice' }),
          },
        ],
      });
      expect(told.status).toBe(200);
      expect(told.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
      const [group, user, patched] = told.body.Operations;
      expect(group).toMatchObject({ method: 'POST', bulkId: 'ytrewq', status: '201' });
      expect(user).toMatchObject({ method: 'POST', bulkId: 'qwerty', status: '201' });
      expect(patched).toMatchObject({ method: 'PATCH', status: '200', location: user.location });
      const id = group.location.split('/').at(-1);
      const { body } = await ask('GET', `/Groups/${id}`);
      expect(body.meta.version).toBe(group.version);
      expect(user.location.endsWith(`/Users/${body.members[0].value}`)).toBe(true);
    },
  },
  {
    source: `${RFC7644} 3.7.1 and 3.7.3`,
    title: 'failures of a bulk request are told one by one, and end it at failOnErrors',
    async run(ask, mine) {
      const { body } = await made(ask, mine);
      const post = (bulkId: string, userName: string) => ({
        method: 'POST',
        path: '/Users',
        bulkId,
        data: { userName },
      });
      const Operations = [
        post('1', mine.email),
        { method: 'DELETE', path: `/Users/${body.id}`, version: 'W/"old"' },
        { method: 'PUT', path: '/Groups/bulkId:1', data: { displayName: 'x' } },
        { method: 'GET', path: '/Users' },
        post('2', `second.${mine.email}`),
      ];
      const all = (await ask('POST', '/Bulk', { Operations })).body.Operations;
      expect(all.map(({ status }: { status: string }) => status)).toEqual([
        '409',
        '412',
        '409',
        '400',
        '201',
      ]);
      expect(all[0].response).toMatchObject({ schemas: [ERROR], scimType: 'uniqueness' });
      const Two = await ask('POST', '/Bulk', { failOnErrors: 2, Operations });
      expect(Two.body.Operations).toHaveLength(2);
      const circle = ['a', 'b'].map((bulkId, at) => ({
        method: 'POST',
        path: '/Groups',
        bulkId,
        data: { displayName: `${mine.name} ${bulkId}`, members: [{ value: `bulkId:${'ba'[at]}` }] },
      }));
      const refused = (await ask('POST', '/Bulk', { Operations: circle })).body.Operations;
      expect(refused.map(({ status }: { status: string }) => status)).toEqual(['409', '409']);
    },
  },
  {
    source: `${RFC7644} 3.7.4`,
    title: 'a bulk request is no larger than the configuration says',
    async run(ask) {
      const { maxOperations } = (await ask('GET', '/ServiceProviderConfig')).body.bulk;
      const Operations = Array(maxOperations + 1).fill({ method: 'DELETE', path: '/Users/0' });
      const many = await ask('POST', '/Bulk', { Operations });
      expect(many).toMatchObject({ status: 413, body: { schemas: [ERROR], status: '413' } });
    },
  },
];
