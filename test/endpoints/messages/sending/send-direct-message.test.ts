import { expect, test } from 'vitest';
import { sent, TO_GENERAL, withGeneral } from '../../../support/messages/sending.ts';
import { bad, missing } from '../../../support/refusals.ts';
import { startServer } from '../../../support/start-server.ts';
import type { PersonName } from '../../../support/users.ts';

type Ids = Readonly<Record<PersonName, { readonly id: number; readonly email: string }>>;

test.each([
  { form: 'a list of ids', to: ({ max, mia }: Ids) => [max.id, mia.id] },
  { form: 'ids with the sender', to: ({ max, mia, mel }: Ids) => [max.id, mia.id, mel.id] },
  { form: 'ids given twice', to: ({ max, mia }: Ids) => [max.id, mia.id, max.id] },
  { form: 'a list of addresses', to: ({ max, mia }: Ids) => [max.email, mia.email] },
  { form: 'addresses with commas', to: ({ max, mia }: Ids) => `${max.email}, ${mia.email} ,` },
  {
    form: 'addresses with commas as a JSON string',
    to: ({ max, mia }: Ids) => `"${max.email},${mia.email}"`,
  },
  { form: 'addresses in another case', to: (p: Ids) => [p.max.email.toUpperCase(), p.mia.email] },
])('a direct message is addressed by $form', async ({ to }) => {
  const server = await startServer();
  const { max, mia, mel } = server.people;
  const event = await sent(server, { type: 'direct', to: to(server.people), content: 'psst' });
  expect(event['message']).toMatchObject({ type: 'private', subject: '', topic_links: [] });
  expect(event['message']).not.toHaveProperty('stream_id');
  const people = event['message'].display_recipient.map(({ id }: { id: number }) => id).sort();
  expect(people).toEqual([max.id, mia.id, mel.id].sort());
});

test('a topic means nothing to a direct message, even one that no channel could have', async () => {
  const server = await startServer();
  const params = { type: 'direct', to: [server.people.max.id], content: 'psst', topic: 'a\nb' };
  const event = await sent(server, params);
  expect(event['message']).toMatchObject({ type: 'private', subject: '' });
});

test.each([
  { content: '/me waves', isMe: true },
  { content: 'as for /me', isMe: false },
])('whether a message is one of status is told: $content', async ({ content, isMe }) => {
  const server = await withGeneral();
  expect((await sent(server, { ...TO_GENERAL, content }))['message'].is_me_message).toBe(isMe);
});

test('API addresses, which events show, address people as well', async () => {
  const server = await startServer();
  const { max } = server.people;
  const own = (await server.get(max, '/users/me')).body.email;
  const event = await sent(server, { type: 'private', to: own, content: 'psst' });
  expect(event['message'].display_recipient).toHaveLength(2);
});

test('a message to oneself has one recipient, and both directions of a conversation one id', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const note = await sent(server, { type: 'direct', to: [mel.id], content: 'note' });
  expect(note['message'].display_recipient).toEqual([
    { id: mel.id, email: expect.any(String), full_name: 'Mel Member', is_mirror_dummy: false },
  ]);
  const there = await sent(server, { type: 'direct', to: [max.id], content: 'a' });
  const back = await sent(server, { type: 'direct', to: [mel.id], content: 'b' }, 'max');
  expect(back['message'].recipient_id).toBe(there['message'].recipient_id);
  expect(note['message'].recipient_id).not.toBe(there['message'].recipient_id);
});

test('a direct message reaches its people and nobody else', async () => {
  const server = await startServer();
  const { mel, max, mia, ona } = server.people;
  const queues = await Promise.all([mel, max, mia, ona].map((person) => server.register(person)));
  await server.post(mel, '/messages', { type: 'direct', to: [max.id, mia.id], content: 'psst' });
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  expect(heard.map((events) => events.map(({ type }) => type))).toEqual([
    ['message'],
    ['message'],
    ['message'],
    [],
  ]);
});

const REFUSED_DIRECT = [
  { why: 'nobody', to: undefined, body: missing('to') },
  { why: 'blank', to: '', body: bad(/must have recipients/) },
  { why: 'an empty list', to: '[]', body: bad(/must have recipients/) },
  { why: 'a list of blanks', to: '["", " "]', body: bad(/must have recipients/) },
  { why: 'ids and addresses mixed', to: '[1, "max@example.com"]', body: bad(/not both/) },
  { why: 'something else', to: '{"id": 1}', body: bad(/not both/) },
  { why: 'null', to: '[null]', body: bad(/not both/) },
  { why: 'an unknown id', to: '[999]', body: bad(/Invalid user ID 999/) },
  { why: 'an unknown address', to: 'nobody@example.com', body: bad(/Invalid email 'nobody@/) },
  { why: 'a word', to: 'nobody', body: bad(/Invalid email 'nobody'/) },
  {
    why: 'too many people',
    to: JSON.stringify([...Array(1_001).keys()]),
    body: bad(/at most 1000/),
  },
];

test('a direct message without people who exist is refused with its reason', async () => {
  const server = await startServer();
  for (const { why, to, body } of REFUSED_DIRECT) {
    const params = { type: 'direct', to, content: 'psst' };
    const reply = await server.post(server.people.mel, '/messages', params);
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  expect(server.bugs).toEqual([]);
});
