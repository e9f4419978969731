import { expect, test } from 'vitest';
import type { Message, Submessage } from '../../../web/app/store/feed/message.ts';
import { applyToMessage } from '../../../web/app/store/feed/message-events.ts';
import { commandOf } from '../../../web/app/store/widgets/command.ts';
import { addedOption, pollOf, votedFor } from '../../../web/app/store/widgets/poll.ts';
import { addedTask, struck, taskListOf } from '../../../web/app/store/widgets/todo.ts';
import { widgetOf } from '../../../web/app/store/widgets/widget.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const AUTHOR = 1;

/** A message whose submessages are these, each from somebody. */
const attached = (...all: readonly (readonly [by: number, value: object | string])[]) =>
  ({
    id: 7,
    sender_id: AUTHOR,
    submessages: all.map(
      ([sender_id, value], index): Submessage => ({
        id: index + 1,
        sender_id,
        msg_type: 'widget',
        content: typeof value === 'string' ? value : JSON.stringify(value),
      }),
    ),
  }) as unknown as Message;

const POLL = {
  widget_type: 'poll',
  extra_data: { question: 'Where?', options: ['here', 'there'] },
};
const TODO = {
  widget_type: 'todo',
  extra_data: { task_list_title: 'Friday', tasks: [{ task: 'book', desc: 'for six' }] },
};

const vote = (key: string, vote: number) => ({ type: 'vote', key, vote });

test('a poll counts each vote once, and a vote that was taken back not at all', () => {
  const poll = pollOf(
    attached(
      [AUTHOR, POLL],
      [2, vote('canned,0', 1)],
      [2, vote('canned,0', 1)],
      [3, vote('canned,1', 1)],
      [3, vote('canned,1', -1)],
      [4, vote('canned,9', 1)],
      [2, { type: 'new_option', idx: 0, option: 'elsewhere' }],
      [3, vote('2,0', 1)],
    ),
  );
  expect(poll).toEqual({
    question: 'Where?',
    options: [
      { key: 'canned,0', text: 'here', voters: [2] },
      { key: 'canned,1', text: 'there', voters: [] },
      { key: '2,0', text: 'elsewhere', voters: [3] },
    ],
  });
});

test('options that are there already are not added again, and only the author changes the question', () => {
  const message = attached(
    [AUTHOR, POLL],
    [2, { type: 'new_option', idx: 4, option: 'here' }],
    [2, { type: 'question', question: 'Mine?' }],
    [AUTHOR, { type: 'question', question: 'When?' }],
  );
  const poll = pollOf(message);
  expect(poll.question).toBe('When?');
  expect(poll.options.map(({ text }) => text)).toEqual(['here', 'there']);
  expect(addedOption(message, poll, { text: ' there ', userId: 2 })).toBeNull();
  expect(addedOption(message, poll, { text: '  ', userId: 2 })).toBeNull();
  // The number that the ignored option has used is not used again.
  expect(addedOption(message, poll, { text: 'up', userId: 2 })).toMatchObject({ idx: 5 });
  expect(addedOption(message, poll, { text: 'up', userId: 3 })).toMatchObject({ idx: 0 });
});

test('tasks are ticked off and back, and a title is of its author', () => {
  const message = attached(
    [AUTHOR, TODO],
    [2, { type: 'strike', key: 'canned,0' }],
    [2, { type: 'new_task', key: 0, task: 'ask', desc: '', completed: false }],
    [3, { type: 'strike', key: '2,0' }],
    [3, { type: 'strike', key: '2,0' }],
    [3, { type: 'new_task_list_title', title: 'No' }],
    [AUTHOR, { type: 'new_task_list_title', title: 'Saturday' }],
  );
  const list = taskListOf(message);
  expect(list).toEqual({
    title: 'Saturday',
    tasks: [
      { key: 'canned,0', task: 'book', about: 'for six', isDone: true },
      { key: '2,0', task: 'ask', about: '', isDone: false },
    ],
  });
  expect(addedTask(message, list, { text: 'ask: Ada', userId: 2 })).toBeNull();
  expect(addedTask(message, list, { text: 'print: in colour', userId: 2 })).toEqual({
    type: 'new_task',
    key: 1,
    task: 'print',
    desc: 'in colour',
    completed: false,
  });
});

test.each([
  { what: 'no submessage', message: attached(), kind: null },
  { what: 'no JSON', message: attached([1, 'poll']), kind: null },
  { what: 'null', message: attached([1, 'null']), kind: null },
  { what: 'another kind', message: attached([1, { widget_type: 'zform' }]), kind: null },
  { what: 'a poll without data', message: attached([1, { widget_type: 'poll' }]), kind: 'poll' },
  {
    what: 'a list of nonsense',
    message: attached([1, { ...TODO, extra_data: { tasks: [1, null, { task: 3 }] } }]),
    kind: 'todo',
  },
])('a message with $what breaks nothing', ({ message, kind }) => {
  expect(widgetOf(message)).toBe(kind);
  expect(pollOf(message).options).toEqual([]);
  expect(taskListOf(message).tasks).toEqual([]);
});

test('an event adds a submessage once, to its message', () => {
  const message = attached([AUTHOR, POLL]);
  const event = {
    type: 'submessage',
    id: 99,
    message_id: 7,
    submessage_id: 2,
    sender_id: 3,
    msg_type: 'widget',
    content: JSON.stringify(vote('canned,1', 1)),
  };
  const voted = applyToMessage(message, event) ?? expect.fail('it is there');
  expect(pollOf(voted).options[1]?.voters).toEqual([3]);
  expect(applyToMessage(voted, event)).toBe(voted);
  expect(applyToMessage(message, { ...event, message_id: 8 })).toBe(message);
});

async function fetched(server: TestServer, id: number): Promise<Message> {
  const { body } = await server.get(server.people.ada, `/messages/${id}`);
  return body.message as unknown as Message;
}

test('the server makes of a command what was asked for, dashes and line breaks included', async () => {
  const server = await startServer({ channels: ['general'] });
  const send = async (content: string) => {
    const to = { type: 'channel', to: 1, topic: 'lunch' };
    const { body } = await server.post(server.people.mel, '/messages', { ...to, content });
    return await fetched(server, Number(body.id));
  };
  const lines = ['soup', ' ', '- dashed', '* starred', 'two\nlines', 'a: b'];
  const poll = pollOf(await send(commandOf('poll', { title: ' Where\nto? ', lines })));
  expect(poll.question).toBe('Where to?');
  expect(poll.options.map(({ text }) => text)).toEqual([
    'soup',
    '- dashed',
    '* starred',
    'two lines',
    'a: b',
  ]);
  const list = taskListOf(await send(commandOf('todo', { title: 'Friday', lines: ['a: b', 'c'] })));
  expect(list.tasks.map(({ task, about }) => [task, about])).toEqual([
    ['a', 'b'],
    ['c', ''],
  ]);
});

test.each(runNumbers({ few: 3, all: 20 }))(
  'whatever people do to a poll and a list, events make of them what a reload gives (seed %i)',
  async (seed) => {
    const server = await startServer({ channels: ['general'] });
    const { pick, below } = openRandom(seed);
    const { ada, mel, max } = server.people;
    const queue = await server.register(ada, { event_types: ['submessage'] });
    const ids: number[] = [];
    for (const content of ['/poll Where?\nhere\nthere', '/todo Friday\nbook']) {
      const to = { type: 'channel', to: 1, topic: 'lunch' };
      const { body } = await server.post(mel, '/messages', { ...to, content });
      ids.push(Number(body.id));
    }
    const kept = new Map<number, Message>();
    for (const id of ids) kept.set(id, await fetched(server, id));
    let done = 0;
    for (let step = 0; step < 40; step += 1) {
      const id = ids[below(ids.length)] ?? expect.fail('there are two');
      const who = pick([mel, max, ada]);
      const message = await fetched(server, id);
      const action = actionOn(message, { pick, below, userId: who.id });
      if (action === null) continue;
      const { status } = await server.post(who, '/submessage', {
        message_id: id,
        msg_type: 'widget',
        content: JSON.stringify(action),
      });
      if (status === 200) done += 1;
    }
    for (let seen = 0; seen < done; ) {
      for (const event of await queue.next()) {
        seen += 1;
        for (const [id, message] of kept) {
          kept.set(id, applyToMessage(message, event) ?? expect.fail('it is there'));
        }
      }
    }
    for (const [id, message] of kept) {
      const fresh = await fetched(server, id);
      expect(pollOf(message)).toEqual(pollOf(fresh));
      expect(taskListOf(message)).toEqual(taskListOf(fresh));
      expect(message.submessages?.map((one) => one.id)).toEqual(
        fresh.submessages?.map((one) => one.id),
      );
    }
  },
);

interface Acting {
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
  readonly below: (count: number) => number;
  readonly userId: number;
}

/** Something that a client would post; the author's acts of others are refused. */
function actionOn(message: Message, { pick, below, userId }: Acting): object | null {
  const text = `number ${below(12)}`;
  if (widgetOf(message) === 'poll') {
    const poll = pollOf(message);
    return pick<object | null>([
      votedFor(poll.options[below(poll.options.length)] ?? expect.fail('it has some'), userId),
      addedOption(message, poll, { text, userId }),
      { type: 'question', question: text },
    ]);
  }
  const list = taskListOf(message);
  return pick<object | null>([
    struck(list.tasks[below(list.tasks.length)] ?? expect.fail('it has some')),
    addedTask(message, list, { text, userId }),
    { type: 'new_task_list_title', title: text },
  ]);
}
