import { expect, test } from 'vitest';
import { systemGroupId } from '../../../../src/domain/wire/system-groups.ts';
import type { Params } from '../../../support/client.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';

const LUNCH = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const NOBODY = systemGroupId('role:nobody');
const MODERATORS = systemGroupId('role:moderators');

function bad(msg: string | RegExp) {
  const text = typeof msg === 'string' ? msg : expect.stringMatching(msg);
  return { status: 400, body: { result: 'error', code: 'BAD_REQUEST', msg: text } };
}

/** The request has a fault for each check, in their order: the first that is left is told. */
test('of several faults the first in the order of the checks is told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const faults: { params: Params; told: object }[] = [
    { params: { content: undefined }, told: { var_name: 'content' } },
    { params: { to: '1.5' }, told: { msg: 'Invalid data type for channel' } },
    { params: { topic: 'a\nb' }, told: { msg: 'Invalid character in topic, at position 2!' } },
    { params: { content: ' ' }, told: { msg: 'Message must not be empty' } },
    { params: { to: 'nowhere' }, told: { code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' } },
  ];
  for (const [index, { told }] of faults.entries()) {
    const params = Object.assign(
      {},
      ...faults
        .slice(index)
        .toReversed()
        .map((one) => one.params),
    );
    const { body } = await server.post(mel, '/messages', { ...LUNCH, ...params });
    expect(body).toMatchObject(told);
  }
  const direct = { type: 'direct', to: [99], content: ' ' };
  expect(await server.post(mel, '/messages', direct)).toMatchObject(bad('Invalid user ID 99'));
});

test('posting, then a new topic, then its policy, then what is mentioned is refused', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const change = (fields: object, groups: object) =>
    server.perform((tx) => {
      const row = tx.channels.get([1]) ?? expect.fail();
      tx.channels.put([1], { ...row, ...fields, groups: { ...row.groups, ...groups } });
    });
  const send = () =>
    server.post(mel, '/messages', { ...LUNCH, content: '@*role:members* @**topic**' });
  await change(
    { topicsPolicy: 'empty_topic_only' },
    { can_send_message_group: MODERATORS, can_create_topic_group: MODERATORS },
  );
  expect(await send()).toMatchObject(
    bad(
      /^You do not have permission to post in this channel\.$|^Not authorized to send to channel '/,
    ),
  );
  await change({}, { can_send_message_group: systemGroupId('role:everyone') });
  expect(await send()).toMatchObject(
    bad('You do not have permission to create new topics in this channel.'),
  );
  await change({}, { can_create_topic_group: systemGroupId('role:everyone') });
  expect(await send()).toMatchObject(
    bad('Only the general chat topic is allowed in this channel.'),
  );
  const empty = { ...LUNCH, topic: '' };
  expect((await server.post(mel, '/messages', empty)).status).toBe(200);
  await change({ topicsPolicy: 'disable_empty_topic' }, {});
  expect(await server.post(mel, '/messages', empty)).toMatchObject(bad(/general chat is not/));
  expect(await send()).toMatchObject(bad(/not allowed to mention user group 'role:members'/));
  await change({ isArchived: true }, {});
  expect(await server.post(ona, '/messages', LUNCH)).toMatchObject(
    bad(
      /^You do not have permission to post in this channel\.$|^Not authorized to send to channel '/,
    ),
  );
});

test('what an inheriting channel allows is the policy of the organization', async () => {
  const server = await startServer({ channels: ['general'] });
  const send = (topic: string) => server.post(server.people.mel, '/messages', { ...LUNCH, topic });
  for (const topic of ['', '(no topic)', 'general chat']) {
    await server.set('topics_policy', 'disable_empty_topic');
    expect(await send(topic)).toMatchObject(bad(/general chat is not/));
    await server.set('topics_policy', 'allow_empty_topic');
    expect((await send(topic)).status).toBe(200);
  }
});

test.each([{ forged: true }, { sender: 'max@example.com' }, { time: '1' }])(
  'nobody writes in another name or time: %o',
  async (params) => {
    const server = await startServer({ channels: ['general'] });
    for (const person of [server.people.ona, server.people.bot]) {
      const reply = await server.post(person, '/messages', { ...LUNCH, ...params });
      expect(reply).toMatchObject(bad('User not authorized for this query'));
    }
    const plain = { ...LUNCH, forged: false };
    expect((await server.post(server.people.ona, '/messages', plain)).body).toEqual({
      result: 'success',
      msg: '',
      id: 1,
      automatic_new_visibility_policy: 3,
    });
  },
);

const direct = (
  server: TestServer,
  from: 'mel' | 'mia' | 'bot',
  to: readonly ('mel' | 'mia' | 'max' | 'bot')[],
) =>
  server.post(server.people[from], '/messages', {
    type: 'direct',
    to: to.map((name) => server.people[name].id),
    content: 'psst',
  });

test('direct messages are for conversations with somebody who may have them, with bots, and with oneself', async () => {
  const server = await startServer();
  await server.set('direct_message_permission_group', MODERATORS);
  const refused = bad('Direct messages are disabled in this organization.');
  expect(await direct(server, 'mel', ['max'])).toMatchObject(refused);
  for (const [from, to] of [
    ['mel', ['max', 'mia']],
    ['mia', ['mel']],
    ['mel', ['mel']],
    ['mel', ['bot']],
    ['bot', ['mel']],
  ] as const) {
    expect((await direct(server, from, to)).status, `${from} to ${to}`).toBe(200);
  }
});

test('conversations are begun by those who may; what was begun goes on, until nothing of it is left', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.set('direct_message_initiator_group', MODERATORS);
  const refused = bad('You do not have permission to initiate direct message conversations.');
  expect(await direct(server, 'mel', ['mia'])).toMatchObject(refused);
  const { body: first } = await direct(server, 'mia', ['mel']);
  const { body: second } = await direct(server, 'mel', ['mia']);
  expect(second.result).toBe('success');
  await server.set('can_delete_any_message_group', systemGroupId('role:members'));
  for (const { id } of [first, second]) {
    expect((await server.delete(mel, `/messages/${id}`)).status).toBe(200);
  }
  expect(await direct(server, 'mel', ['mia'])).toMatchObject(refused);
  await server.set('direct_message_initiator_group', NOBODY);
  expect((await direct(server, 'mel', ['mel'])).status).toBe(200);
});

test('a guest writes to nobody whom they may not know of, and nobody to who has left', async () => {
  const server = await startServer();
  const { gus, mel, max } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  const message = { type: 'direct', content: 'psst' };
  expect(await server.post(gus, '/messages', { ...message, to: [max.id] })).toMatchObject(
    bad('You do not have permission to access some of the recipients.'),
  );
  await server.post(max, '/messages', { ...message, to: [gus.id] });
  expect((await server.post(gus, '/messages', { ...message, to: [max.id] })).status).toBe(200);
  await server.perform((tx) => {
    const row = tx.users.get([max.id]) ?? expect.fail();
    tx.users.put([max.id], { ...row, isActive: false });
  });
  expect(await server.post(mel, '/messages', { ...message, to: [max.id] })).toMatchObject(
    bad("'Max Member' is no longer using this service."),
  );
});
