import { expect, test } from 'vitest';
import type { Consumer, EventRun } from '../../../src/events/delivery.ts';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

const say = (server: TestServer, content: string) =>
  server.post(server.people.mel, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'lunch',
    read_by_sender: true,
    content,
  });

/** What the queue is handed as it catches up. */
function caughtUp(server: TestServer, { as, id, lastEventId }: TestQueue): readonly EventRun[] {
  const { queues } = server.app.realms.named('test') ?? expect.fail();
  const runs: EventRun[] = [];
  const consumer: Consumer = {
    takesOne: false,
    deliver(run) {
      runs.push(run);
      return 'taken';
    },
    replaced: () => undefined,
    ended: () => undefined,
    stopping: () => undefined,
  };
  const queue = queues.find(id, as.id) ?? expect.fail();
  expect(queues.attach(queue, lastEventId, consumer)).toBe('attached');
  return runs;
}

interface Heard {
  readonly message: { readonly content: string };
  readonly flags: readonly string[];
}

const eventsOf = (run: EventRun | undefined): readonly Heard[] => JSON.parse(`[${run?.json()}]`);
const contentsOf = (run: EventRun | undefined) =>
  eventsOf(run).map(({ message }) => message.content);
const flagsOf = (run: EventRun | undefined) => eventsOf(run).map(({ flags }) => flags);

test('queues that missed the same are handed the very same, encoded once for each form', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mia, mel } = server.people;
  const first = await server.register(max, { ...MESSAGES_ONLY, apply_markdown: false });
  const second = await server.register(mia, { ...MESSAGES_ONLY, apply_markdown: false });
  const rendered = await server.register(max, { ...MESSAGES_ONLY, apply_markdown: true });
  const sender = await server.register(mel, { ...MESSAGES_ONLY, apply_markdown: false });
  await say(server, 'soup?');
  const later = await server.register(mia, { ...MESSAGES_ONLY, apply_markdown: false });
  await say(server, 'stew!');

  const [run] = caughtUp(server, first);
  expect(contentsOf(run)).toEqual(['soup?', 'stew!']);
  expect(caughtUp(server, second)[0]).toBe(run);
  const [html] = caughtUp(server, rendered);
  expect(contentsOf(html)).toEqual(['<p>soup?</p>', '<p>stew!</p>']);
  expect(contentsOf(caughtUp(server, later)[0])).toEqual(['stew!']);
  const [own] = caughtUp(server, sender);
  expect(contentsOf(own)).toEqual(['soup?', 'stew!']);
  expect([flagsOf(own), flagsOf(run)]).toEqual([
    [['read'], ['read']],
    [[], []],
  ]);
});
