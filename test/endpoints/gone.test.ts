import { expect, test } from 'vitest';
import type { Answer, ApiRequest } from '../../src/endpoints/dispatch/request.ts';
import { openDispatch } from '../../src/endpoints/dispatch.ts';
import { endpoint } from '../../src/endpoints/endpoint.ts';
import { anyUser } from '../../src/endpoints/permissions.ts';
import { openRoutes } from '../../src/endpoints/routes.ts';
import { basic } from '../support/client.ts';
import { startServer } from '../support/start-server.ts';

test('a page whose client has gone while it waited for its turn is not worked out; a change is made', async () => {
  const { ask, waiting, done } = await withDeferred();
  void ask('GET', { isGone: true });
  const read = ask('GET');
  const changed = ask('POST', { isGone: true });
  expect(done).toEqual([]);
  for (const work of waiting) work();
  expect(await Promise.all([read, changed])).toEqual(['answered', 'answered']);
  expect(done).toEqual(['read', 'change']);
});

test('who waited for their turn is judged again: an account that was deactivated meanwhile is shown nothing', async () => {
  const { server, ask, waiting, done } = await withDeferred();
  const { ada, mel } = server.people;
  const reply = ask('GET');
  expect(await server.delete(ada, `/users/${mel.id}`)).toMatchObject({ status: 200 });
  for (const work of waiting) work();
  expect(await reply).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(done).toEqual([]);
});

/**
 * Starts a server with endpoints that note their calls, and whose turn comes when the test says so.
 */
async function withDeferred() {
  const server = await startServer();
  const done: string[] = [];
  const declared = { summary: 'Counted', path: '/counted', allow: anyUser, params: {} };
  const note = (what: string) => {
    done.push(what);
    return {};
  };
  const endpoints = [
    endpoint({ ...declared, method: 'GET', read: () => note('read') }),
    endpoint({ ...declared, method: 'POST', change: () => note('change') }),
  ];
  const waiting: (() => void)[] = [];
  const turns = { run: (_: object, work: () => void) => waiting.push(work) > 0 };
  const dispatch = openDispatch(server.app.realms, openRoutes(endpoints), turns);
  const ask = (method: string, { isGone = false } = {}) =>
    new Promise<unknown>((resolve) => {
      const request: ApiRequest = {
        method,
        path: '/counted',
        raw: {},
        host: `test.localhost:${server.app.port}`,
        address: () => '127.0.0.1',
        authorization: basic(server.people.mel),
        userAgent: '',
        idempotencyKey: '',
      };
      const answer: Answer = {
        isOf: () => undefined,
        succeed: () => resolve('answered'),
        show: () => expect.fail('there is no document'),
        pass: () => expect.fail('there is no document'),
        fail: resolve,
        options: () => expect.fail('nobody asked for them'),
        canPark: false,
        park: () => expect.fail('nothing is parked here'),
        isGone: () => isGone,
        holdsBack: () => false,
        body: null,
      };
      dispatch(request, answer);
    });
  return { server, ask, waiting, done };
}
