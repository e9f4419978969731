import { beforeEach, expect, test } from 'vitest';
import {
  SUBMESSAGE_LENGTH_MAX,
  SUBMESSAGES_PER_MESSAGE_MAX,
} from '../../../src/domain/limits/messages.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ channels: ['general'] });
});

async function sent(content: string, more: Params = {}): Promise<number> {
  const message = { type: 'channel', to: 'general', topic: 'tea', content, ...more };
  const { body } = await server.post(server.people.mel, '/messages', message);
  expect(body.msg).toBe('');
  return body.id;
}

const add = (person: Person, messageId: number, content: unknown) =>
  server.post(person, '/submessage', {
    message_id: messageId,
    msg_type: 'widget',
    content: typeof content === 'string' ? content : JSON.stringify(content),
  });

const submessagesOf = async (messageId: number) =>
  (await server.get(server.people.max, `/messages/${messageId}`)).body.message.submessages;

const POLL = '/poll Tea or coffee?\n- Tea\n* Coffee\n\nWater';
const VOTE = { type: 'vote', key: 'canned,0', vote: 1 };

test.each([
  {
    content: POLL,
    widget: {
      widget_type: 'poll',
      extra_data: { question: 'Tea or coffee?', options: ['Tea', 'Coffee', 'Water'] },
    },
  },
  {
    content: '/poll\nTea',
    widget: { widget_type: 'poll', extra_data: { question: '', options: ['Tea'] } },
  },
  {
    content: '/todo Party\ncake: a large one: round\n- tea',
    widget: {
      widget_type: 'todo',
      extra_data: {
        task_list_title: 'Party',
        tasks: [
          { task: 'cake', desc: 'a large one: round' },
          { task: 'tea', desc: '' },
        ],
      },
    },
  },
])(
  'a message gets the widget that it asks for, in its event and whenever it is fetched: $content',
  async ({ content, widget }) => {
    const { mel, max } = server.people;
    const queue = await server.register(max, { event_types: ['message'] });
    const id = await sent(content);
    const [event] = await queue.now();
    const submessage = {
      id: 1,
      message_id: id,
      sender_id: mel.id,
      msg_type: 'widget',
      content: expect.any(String),
    };
    expect(event?.['message'].submessages).toEqual([submessage]);
    expect(JSON.parse(event?.['message'].submessages[0].content)).toEqual(widget);
    expect(await submessagesOf(id)).toEqual(event?.['message'].submessages);
  },
);

test('a client may send a widget of its own making, which has to be one', async () => {
  const extra_data = { question: 'Tea?', options: ['Yes'] };
  const widget_content = { widget_type: 'poll', extra_data };
  const [submessage] = await submessagesOf(await sent('Tea?', { widget_content }));
  expect(JSON.parse(submessage.content)).toEqual(widget_content);
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'x' };
  for (const [given, msg] of [
    ['{', 'widget_content is not valid JSON'],
    ['{"widget_type":"zform","extra_data":{}}', 'widget_content is not a widget'],
  ]) {
    const bad = { ...message, widget_content: given };
    const { status, body } = await server.post(server.people.mel, '/messages', bad);
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
});

test.each(['hello /poll x', '/polls x', ' poll', '/me polls'])(
  'a message that asks for none gets none: %s',
  async (content) => {
    expect(await submessagesOf(await sent(content))).toEqual([]);
  },
);

test('a vote is told to all who see the message, and kept as it was written', async () => {
  const { mel, max, ada, ona } = server.people;
  await server.delete(ona, '/users/me/subscriptions', { subscriptions: ['general'] });
  const types = { event_types: ['submessage'] };
  const queues = await Promise.all([mel, max, ada, ona].map((one) => server.register(one, types)));
  const id = await sent(POLL);
  const content = '{"type": "vote", "key": "canned,0", "vote": 1}';
  expect((await add(max, id, content)).body).toEqual({ result: 'success', msg: '' });
  const told = await Promise.all(queues.map((queue) => queue.now()));
  const event = {
    id: expect.any(Number),
    type: 'submessage',
    message_id: id,
    submessage_id: 2,
    sender_id: max.id,
    msg_type: 'widget',
    content,
  };
  expect(told).toEqual([[event], [event], [event], []]);
  expect((await submessagesOf(id)).slice(1)).toEqual([
    { id: 2, message_id: id, sender_id: max.id, msg_type: 'widget', content },
  ]);
});

test('those of a direct message hear of it, and nobody else can', async () => {
  const { max, mel, ada } = server.people;
  const id = await sent(POLL, { type: 'direct', to: [max.id] });
  const queue = await server.register(mel, { event_types: ['submessage'] });
  expect((await add(max, id, VOTE)).status).toBe(200);
  expect((await add(ada, id, VOTE)).body.msg).toBe('Invalid message(s)');
  expect(await queue.now()).toHaveLength(1);
});

test.each([
  { of: POLL, by: 'max', content: { ...VOTE, key: '5,12', vote: -1 } },
  { of: POLL, by: 'max', content: { type: 'new_option', idx: 1, option: 'Milk' } },
  { of: POLL, by: 'mel', content: { type: 'question', question: 'What?' } },
  {
    of: '/todo x',
    by: 'max',
    content: { type: 'new_task', key: 1, task: 'a', desc: '', completed: false },
  },
  { of: '/todo x', by: 'max', content: { type: 'strike', key: '5,1' } },
  { of: '/todo x', by: 'mel', content: { type: 'new_task_list_title', title: 'y' } },
  {
    of: 'x',
    by: 'mel',
    content: { widget_type: 'poll', extra_data: { question: '', options: [] } },
  },
] as const)('accepted: $content', async ({ of, by, content }) => {
  const id = await sent(of);
  expect((await add(server.people[by], id, content)).body.msg).toBe('');
  expect(JSON.parse((await submessagesOf(id)).at(-1).content)).toEqual(content);
});

const INVALID = 'Invalid data for this widget.';
const TITLE = 'Only the author of a widget can change its title.';
test.each([
  { of: POLL, content: { ...VOTE, vote: 2 }, msg: INVALID },
  { of: POLL, content: { ...VOTE, key: 'x,0' }, msg: INVALID },
  { of: POLL, content: { ...VOTE, more: 1 }, msg: INVALID },
  { of: POLL, content: { type: 'new_option', idx: -1, option: 'x' }, msg: INVALID },
  { of: POLL, content: { type: 'strike', key: '1,1' }, msg: INVALID },
  { of: POLL, content: [], msg: INVALID },
  { of: POLL, content: 'null', msg: INVALID },
  { of: POLL, content: { type: 'question', question: 'x' }, msg: TITLE },
  { of: '/todo x', content: { type: 'new_task_list_title', title: 'x' }, msg: TITLE },
  { of: '/todo x', content: VOTE, msg: INVALID },
  { of: POLL, content: '{', msg: 'content is not valid JSON' },
  { of: POLL, content: `"${'x'.repeat(SUBMESSAGE_LENGTH_MAX)}"`, msg: 'content is too long' },
  { of: 'x', content: VOTE, msg: 'You cannot attach a submessage to this message.' },
])('refused: $content', async ({ of, content, msg }) => {
  const { mel, max } = server.people;
  const id = await sent(of);
  const before = await submessagesOf(id);
  const queue = await server.register(mel, { event_types: ['submessage'] });
  const { status, body } = await add(max, id, content);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await submessagesOf(id)).toEqual(before);
  expect(await queue.now()).toEqual([]);
});

test('what is missing, no message or no widget is refused', async () => {
  const { mel } = server.people;
  const id = await sent('x');
  const whole = { message_id: id, msg_type: 'widget', content: JSON.stringify(VOTE) };
  for (const [change, msg] of [
    [{ message_id: 'x' }, 'message_id is not an integer'],
    [{ message_id: 999 }, 'Invalid message(s)'],
    [{ msg_type: 'other' }, 'Invalid msg_type'],
    [{}, 'Invalid widget.'],
  ] as const) {
    const { status, body } = await server.post(mel, '/submessage', { ...whole, ...change });
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
  for (const name of ['message_id', 'msg_type', 'content'] as const) {
    const { [name]: _, ...rest } = whole;
    const { status, body } = await server.post(mel, '/submessage', rest);
    expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', name]);
  }
});

test('so much can be attached to a message and no more', async () => {
  const { max } = server.people;
  const id = await sent(POLL);
  await server.perform((tx) => {
    const row = { senderId: max.id, msgType: 'widget', content: JSON.stringify(VOTE) };
    for (let count = 1; count < SUBMESSAGES_PER_MESSAGE_MAX - 1; count++) {
      tx.submessages.put([id, tx.nextId('submessage')], row);
    }
  });
  expect((await add(max, id, VOTE)).body.msg).toBe('');
  expect((await add(max, id, VOTE)).body.msg).toBe(
    `A message can have at most ${SUBMESSAGES_PER_MESSAGE_MAX} submessages.`,
  );
});

test('the content of a message with a widget cannot be edited, and deleting it leaves nothing', async () => {
  const { mel, ona } = server.people;
  const [poll, own] = [await sent(POLL), await sent('x')];
  await add(mel, own, { widget_type: 'poll', extra_data: { question: '', options: [] } });
  for (const id of [poll, own]) {
    const { status, body } = await server.patch(mel, `/messages/${id}`, { content: 'x' });
    expect([status, body.msg]).toEqual([400, 'Widgets cannot be edited.']);
    const moved = await server.patch(mel, `/messages/${id}`, { topic: 'coffee' });
    expect(moved.body.msg).toBe('');
    expect(await submessagesOf(id)).toHaveLength(1);
    await server.delete(ona, `/messages/${id}`);
  }
  expect(await server.perform((tx) => [...tx.submessages.range({})])).toEqual([]);
});

test('4: a snapshot and the events of votes give what a fresh register gives', async () => {
  const { mel, max } = server.people;
  await server.patch(max, '/settings', { automatically_follow_topics_policy: 1 });
  await expectExactAfter(server, async () => {
    const id = await sent(POLL);
    await add(max, id, VOTE);
    await add(mel, id, { type: 'question', question: 'x' });
  });
  const { state } = await server.register(max, { fetch_event_types: ['user_topic'] });
  expect(state['user_topics']).toMatchObject([{ topic_name: 'tea', visibility_policy: 3 }]);
});
