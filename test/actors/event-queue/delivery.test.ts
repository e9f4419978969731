import { expect, test } from 'vitest';
import { CATCH_UP_CONTENT_PER_STEP } from '../../../src/domain/limits/event-queues.ts';
import type { Consumer, EncodedBatch } from '../../../src/events/delivery.ts';
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

/** Gives the queue a consumer that takes whatever it is handed. */
function attach(
  server: TestServer,
  { as, id, lastEventId }: TestQueue,
  take: (run: EncodedBatch) => void,
) {
  const { queues } = server.app.realms.named('test') ?? expect.fail();
  const consumer: Consumer = {
    takesOne: false,
    deliver(run) {
      take(run);
      return 'taken';
    },
    replaced: () => undefined,
    ended: () => undefined,
    stopping: () => undefined,
  };
  const queue = queues.find(id, as.id) ?? expect.fail();
  expect(queues.attach(queue, lastEventId, consumer)).toBe('attached');
}

/** Returns the batches that the queue is handed as it catches up. */
function caughtUp(server: TestServer, queue: TestQueue): readonly EncodedBatch[] {
  const runs: EncodedBatch[] = [];
  attach(server, queue, (run) => runs.push(run));
  return runs;
}

interface Heard {
  readonly message: { readonly content: string };
  readonly flags: readonly string[];
}

const eventsOf = (run: EncodedBatch | undefined): readonly Heard[] =>
  JSON.parse(`[${run?.json()}]`);
const contentsOf = (run: EncodedBatch | undefined) =>
  eventsOf(run).map(({ message }) => message.content);
const flagsOf = (run: EncodedBatch | undefined) => eventsOf(run).map(({ flags }) => flags);

test('queues that missed the same are handed the very same, encoded once for each format', async () => {
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

/** Holds the thread as long as a write that takes its time. */
function busyFor(ms: number) {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test('while many are handed a message others get their answers, and everybody gets everything once and in order', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mia } = server.people;
  const options = { ...MESSAGES_ONLY, apply_markdown: false };
  const heard: string[][] = [];
  while (heard.length < 640) {
    const contents: string[] = [];
    attach(server, await server.register(max, options), (run) => {
      busyFor(1);
      contents.push(...contentsOf(run));
    });
    heard.push(contents);
  }
  const poller = await server.register(mia, options);
  const poll = poller.poll();
  const replaced = await server.register(max, options);
  attach(server, replaced, () => expect.unreachable('it is replaced before its turn'));
  const countOf = (content: string) => heard.filter((all) => all.includes(content)).length;

  await say(server, 'soup?');
  expect(countOf('soup?')).toBeLessThan(heard.length);
  const successor = caughtUp(server, replaced);
  expect(successor.flatMap(contentsOf)).toEqual(['soup?']);
  const { events } = (await poller.poll({ dont_block: true })).body;
  expect([...(await poll).body.events, ...events]).toHaveLength(1);
  await say(server, 'stew!');

  await expect.poll(() => countOf('stew!')).toBe(heard.length);
  expect(heard).toEqual(heard.map(() => ['soup?', 'stew!']));
  await expect.poll(() => successor.flatMap(contentsOf)).toEqual(['soup?', 'stew!']);
});

test('a step of catching up has a bound for whatever events there are', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mel } = server.people;
  const queue = await server.register(max, { event_types: ['update_message'] });
  const { id } = (await say(server, 'soup')).body;
  const edits = 24;
  for (let edit = 0; edit < edits; edit++) {
    const content = `${edit} ${'"'.repeat(9_900)}`;
    expect((await server.patch(mel, `/messages/${id}`, { content })).status).toBe(200);
  }
  const runs = caughtUp(server, queue);
  const count = () => runs.reduce((sum, run) => sum + eventsOf(run).length, 0);
  await expect.poll(count).toBe(edits);
  // Each edit has some 150,000 characters: the content before and after, as written and as
  // rendered.
  const [largest = 0] = runs.map((run) => run.json().length).sort((one, other) => other - one);
  expect(largest).toBeLessThan(CATCH_UP_CONTENT_PER_STEP + 200_000);
  expect(runs.length).toBeGreaterThan(3);
});
