import { expect, test } from 'vitest';
import { type Endpoint, endpoint } from '../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { anyUser } from '../../src/endpoints/permissions.ts';
import { openRoutes } from '../../src/endpoints/routes.ts';

const at = (method: 'GET' | 'PATCH', path: string): Endpoint =>
  endpoint({ summary: path, method, path, allow: anyUser, params: {}, read: () => ({}) });

const routes = openRoutes([
  at('GET', '/users'),
  at('GET', '/users/me'),
  at('GET', '/users/{id}'),
  at('PATCH', '/users/{id}'),
  at('GET', '/users/{id}/status'),
  at('GET', '/files/{folder}/{name...}'),
]);

const found = (path: string) => {
  const match = routes.find(path);
  return match && [[...match.byMethod.values()][0]?.endpoint.path, match.values, match.allowed];
};

test.each([
  ['/users', '/users', {}],
  ['/users/me', '/users/me', {}],
  ['/users/7/status', '/users/{id}/status', { id: '7' }],
  ['/users/a%2Fb/status', '/users/{id}/status', { id: 'a/b' }],
  ['/users/a?b#c;d/status', '/users/{id}/status', { id: 'a?b#c;d' }],
  ['/users//status', '/users/{id}/status', { id: '' }],
  ['/files/x/a/b.png', '/files/{folder}/{name...}', { folder: 'x', name: 'a/b.png' }],
])('a path leads to its endpoint: %s', (path, pattern, values) => {
  expect(found(path)).toEqual([pattern, values, ['GET', 'HEAD']]);
});

test.each(['', '/', 'users', '/user', '/Users', '/users?a', '/users/7/status/', '/files/x/'])(
  'a path leads nowhere: %j',
  (path) => {
    expect(found(path)).toBeUndefined();
  },
);

test('a path has the methods of all of its endpoints', () => {
  expect(found('/users/7')).toEqual(['/users/{id}', { id: '7' }, ['GET', 'HEAD', 'PATCH']]);
});

test.each(['/users/%FF', '/users/%zz/status', '/users/%', '/files/x/%C0%80'])(
  'a parameter that is no UTF-8 is refused: %s',
  (path) => {
    expect(() => routes.find(path)).toThrow('The path is not valid UTF-8');
  },
);

test('each endpoint of the service is found by its path', () => {
  const all = openRoutes(ENDPOINTS);
  for (const { method, path } of ENDPOINTS) {
    const requested = path.replace(/\{[^}]*\.\.\.\}/, '1/2').replace(/\{[^}]*\}/g, '1');
    expect(all.find(requested)?.byMethod.get(method)?.endpoint.path, requested).toBe(path);
  }
});

test('what is declared twice, or begins with a parameter, is no route', () => {
  expect(() => openRoutes([at('GET', '/a/{b}'), at('GET', '/a/{b}')])).toThrow('declared twice');
  expect(() => openRoutes([at('GET', '/{a}/b')])).toThrow('begins with a parameter');
});
