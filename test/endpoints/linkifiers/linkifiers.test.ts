import { expect, test } from 'vitest';
import {
  LINKIFIER_PATTERN_LENGTH_MAX,
  LINKIFIER_TEMPLATE_LENGTH_MAX,
  LINKIFIERS_PER_REALM_MAX,
} from '../../../src/domain/limits/markdown.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ISSUE = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://issues.example/{id}' };
const TICKET = { pattern: 'T(?P<id>[0-9]+)', url_template: 'https://tickets.example/{id}' };
const KNOWS = {
  event_types: ['realm_linkifiers'],
  client_capabilities: { notification_settings_null: true, linkifier_url_template: true },
};

test('a linkifier is added at the end, changed, moved and removed, and every modern client hears of it', async () => {
  const server = await startServer();
  const { ada, ona, gus, bot } = server.people;
  const queues = await Promise.all([gus, bot].map((person) => server.register(person, KNOWS)));
  const older = await server.register(gus, { event_types: ['realm_linkifiers'] });

  const spaced = { pattern: ` ${ISSUE.pattern}\n`, url_template: ` ${ISSUE.url_template} ` };
  expect((await server.post(ada, '/realm/filters', spaced)).body).toEqual(success({ id: 1 }));
  expect((await server.post(ona, '/realm/filters', TICKET)).body).toEqual(success({ id: 2 }));
  const url_template = 'https://other.example/{id}';
  const change = { pattern: ISSUE.pattern, url_template };
  expect((await server.patch(ada, '/realm/filters/1', change)).body).toEqual(success());
  const order = { ordered_linkifier_ids: [2, 1] };
  expect((await server.patch(ada, '/realm/linkifiers', order)).body).toEqual(success());
  const listed = await server.get(bot, '/realm/linkifiers');
  const [first, second] = [
    { id: 2, ...TICKET },
    { id: 1, pattern: ISSUE.pattern, url_template },
  ];
  expect(listed.body).toEqual(success({ linkifiers: [first, second] }));
  expect((await server.delete(ada, '/realm/filters/2')).body).toEqual(success());

  for (const queue of queues) {
    expect((await queue.now()).map((event) => event['realm_linkifiers'])).toEqual([
      [{ id: 1, ...ISSUE }],
      [{ id: 1, ...ISSUE }, first],
      [second, first],
      [first, second],
      [second],
    ]);
  }
  expect(await older.now()).toEqual([]);
  expect(older.state.realm_linkifiers).toEqual([]);
});

test('an id is never used twice', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/realm/filters', ISSUE);
  await server.delete(ada, '/realm/filters/1');
  expect((await server.post(ada, '/realm/filters', ISSUE)).body.id).toBe(2);
});

test('what changes nothing tells nobody', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/realm/filters', ISSUE);
  const queue = await server.register(ada, KNOWS);
  await server.patch(ada, '/realm/filters/1', ISSUE);
  await server.patch(ada, '/realm/linkifiers', { ordered_linkifier_ids: [1] });
  expect(await queue.now()).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await expectExactAfter(server, async () => {
    for (const each of [ISSUE, TICKET]) await server.post(ada, '/realm/filters', each);
    await server.patch(ada, '/realm/linkifiers', { ordered_linkifier_ids: [2, 1] });
    await server.patch(ada, '/realm/filters/1', { ...ISSUE, url_template: '/issues/{id}' });
    await server.delete(ada, '/realm/filters/2');
  });
});

test('linkifiers are applied in order to content and topics, of messages sent before as well', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const send = (content: string) =>
    server.post(mel, '/messages', { type: 'channel', to: 'general', topic: 'see #7', content });
  await send('before #7');
  expect(await linksOf(server, 1)).toEqual([]);
  await server.post(ada, '/realm/filters', ISSUE);
  const wider = { pattern: '#(?P<n>[0-9]+)(?P<x>x?)', url_template: 'https://wide.example/{n}{x}' };
  await server.post(ada, '/realm/filters', wider);
  await send('after #7');
  const { body } = await server.get(mel, '/messages/2');
  expect(body.message.content).toBe('<p>after <a href="https://issues.example/7">#7</a></p>');
  expect(await linksOf(server, 1)).toEqual([{ text: '#7', url: 'https://issues.example/7' }]);
  await server.patch(ada, '/realm/linkifiers', { ordered_linkifier_ids: [2, 1] });
  expect(await linksOf(server, 1)).toEqual([{ text: '#7', url: 'https://wide.example/7' }]);
  await server.delete(ada, '/realm/filters/2');
  await server.delete(ada, '/realm/filters/1');
  expect(await linksOf(server, 1)).toEqual([]);
});

test.each([
  {
    why: 'a pattern that is no expression',
    given: { pattern: '(', url_template: 'https://a.example' },
    errors: { pattern: [expect.stringMatching(/^Bad regular expression/)] },
  },
  {
    why: 'a blank pattern and a blank template',
    given: { pattern: '  ', url_template: '' },
    errors: {
      pattern: ['This field cannot be blank.'],
      url_template: ['This field cannot be blank.'],
    },
  },
  {
    why: 'a backreference, which takes more than linear time',
    given: { pattern: '(?P<a>x)(?P=a)', url_template: 'https://a.example/{a}' },
    errors: { pattern: [expect.any(String)] },
  },
  {
    why: 'a template that is none',
    given: { pattern: 'x', url_template: 'https://a.example/{' },
    errors: { url_template: ['Invalid URL template.'] },
  },
  {
    why: 'a URL that would run something',
    given: { pattern: 'x(?P<a>y)', url_template: 'javascript:{a}' },
    errors: { url_template: [expect.stringMatching(/must begin with http/)] },
  },
  {
    why: 'a group that the template lacks',
    given: { pattern: '(?P<a>x)(?P<b>y)', url_template: 'https://a.example/{a}' },
    errors: { __all__: ["Group 'b' in pattern is not present in URL template."] },
  },
  {
    why: 'a variable that the pattern lacks',
    given: { pattern: '(?P<a>x)', url_template: 'https://a.example/{a}/{c}' },
    errors: { __all__: ["Group 'c' in URL template is not present in pattern."] },
  },
  {
    why: 'a pattern that is there already',
    given: { pattern: ` ${ISSUE.pattern} `, url_template: 'https://a.example/{id}' },
    errors: { __all__: ['A linkifier with this pattern already exists.'] },
  },
  {
    why: 'a pattern one character too long',
    given: { pattern: 'x'.repeat(LINKIFIER_PATTERN_LENGTH_MAX + 1), url_template: '/a' },
    errors: { pattern: [expect.stringMatching(/too long/)] },
  },
  {
    why: 'a template one character too long',
    given: { pattern: 'y', url_template: `/${'x'.repeat(LINKIFIER_TEMPLATE_LENGTH_MAX)}` },
    errors: { url_template: [expect.stringMatching(/too long/)] },
  },
])('adding and changing are refused: $why', async ({ given, errors }) => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/realm/filters', ISSUE);
  await server.post(ada, '/realm/filters', TICKET);
  const [msg] = Object.values(errors).flat();
  const refusal = { result: 'error', code: 'BAD_REQUEST', msg, errors };
  const added = await server.post(ada, '/realm/filters', given);
  expect([added.status, added.body]).toEqual([400, refusal]);
  const changed = await server.patch(ada, '/realm/filters/2', given);
  expect([changed.status, changed.body]).toEqual([400, refusal]);
  const { body } = await server.get(ada, '/realm/linkifiers');
  expect(body.linkifiers).toEqual([
    { id: 1, ...ISSUE },
    { id: 2, ...TICKET },
  ]);
});

test('a pattern and a template may be as long as the bound', async () => {
  const server = await startServer();
  const pattern = 'x'.repeat(LINKIFIER_PATTERN_LENGTH_MAX - 10);
  const url_template = `/${'x'.repeat(LINKIFIER_TEMPLATE_LENGTH_MAX - 1)}`;
  const { status } = await server.post(server.people.ada, '/realm/filters', {
    pattern,
    url_template,
  });
  expect(status).toBe(200);
});

test('a realm has so many linkifiers and not one more', async () => {
  const server = await startServer();
  const { ada } = server.people;
  for (let n = 1; n <= LINKIFIERS_PER_REALM_MAX; n++) {
    const reply = await server.post(ada, '/realm/filters', { pattern: `x${n}`, url_template: '/' });
    expect(reply.body.id).toBe(n);
  }
  const { status, body } = await server.post(ada, '/realm/filters', ISSUE);
  expect([status, body]).toEqual([
    400,
    {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: `An organization has at most ${LINKIFIERS_PER_REALM_MAX} linkifiers.`,
    },
  ]);
});

const WRITES = [
  { method: 'POST', path: '/realm/filters', params: ISSUE },
  { method: 'PATCH', path: '/realm/filters/1', params: ISSUE },
  { method: 'DELETE', path: '/realm/filters/1', params: {} },
  { method: 'PATCH', path: '/realm/linkifiers', params: { ordered_linkifier_ids: '[]' } },
];

test.each(WRITES)('only administrators write: $method $path', async ({ method, path, params }) => {
  const server = await startServer();
  for (const name of ['mia', 'mel', 'gus', 'bot'] as const) {
    const { status, body } = await server.request(method, path, {
      as: server.people[name],
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(params).toString(),
    });
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        code: 'UNAUTHORIZED_PRINCIPAL',
        msg: 'Must be an organization administrator',
      },
    ]);
  }
});

test.each([
  { ids: [1] },
  { ids: [1, 1] },
  { ids: [1, 2, 2] },
  { ids: [1, 2, 3] },
  { ids: [] },
  { ids: [2, -1] },
])('an order that does not name each one once is refused: $ids', async ({ ids }) => {
  const server = await startServer();
  const { ada } = server.people;
  for (const each of [ISSUE, TICKET]) await server.post(ada, '/realm/filters', each);
  const params = { ordered_linkifier_ids: ids };
  const { status, body } = await server.patch(ada, '/realm/linkifiers', params);
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    'The ordered list must enumerate all existing linkifiers exactly once',
  ]);
});

test('an id that is not there is refused, and so is what is no id', async () => {
  const server = await startServer();
  const { ada } = server.people;
  for (const [path, msg] of [
    ['/realm/filters/7', 'Linkifier not found.'],
    ['/realm/filters/-1', 'Linkifier not found.'],
    ['/realm/filters/x', 'filter_id is not an integer'],
  ] as const) {
    const refusal = { result: 'error', code: 'BAD_REQUEST', msg };
    expect((await server.patch(ada, path, ISSUE)).body).toEqual(refusal);
    expect((await server.delete(ada, path)).body).toEqual(refusal);
  }
});

test.each([
  { missing: 'pattern', path: '/realm/filters', params: { url_template: '/' }, method: 'POST' },
  { missing: 'url_template', path: '/realm/filters', params: { pattern: 'x' }, method: 'POST' },
  { missing: 'url_template', path: '/realm/filters/1', params: { pattern: 'x' }, method: 'PATCH' },
  { missing: 'ordered_linkifier_ids', path: '/realm/linkifiers', params: {}, method: 'PATCH' },
] as const)('$method $path needs $missing', async ({ missing, path, params, method }) => {
  const server = await startServer();
  const call = method === 'POST' ? server.post : server.patch;
  const { status, body } = await call(server.people.ada, path, params);
  expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', missing]);
});

const success = (fields: object = {}) => ({ result: 'success', msg: '', ...fields });

async function linksOf(server: TestServer, messageId: number) {
  return (await server.get(server.people.mel, `/messages/${messageId}`)).body.message.topic_links;
}
