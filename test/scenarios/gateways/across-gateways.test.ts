import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clientPortsOf, gatewaysOf, type Line, openLine } from '../../support/gateways/lines.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import { openRandom } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch' };
/** So many connections seldom come to one gateway alone. */
const LINES = 12;
const WORKERS = 4;

const withTwo = () => startProcess({ CONFAB_GATEWAYS: '2' });

const linesTo = (server: ServerProcess, count = LINES): Line[] =>
  Array.from({ length: count }, () => openLine(server.port()));

/** Opens connections until both gateways have some; returns those of each. */
async function spread(server: ServerProcess, as: Person): Promise<[Line[], Line[]]> {
  for (let attempts = 0; attempts < 5; attempts++) {
    const lines = linesTo(server);
    await Promise.all(lines.map((line) => line.ask(as, 'GET', '/users/me')));
    const [one = 0, other = 0] = gatewaysOf(server);
    const at = (pid: number) => {
      const ports = clientPortsOf(pid);
      return lines.filter((line) => ports.has(line.port() ?? 0));
    };
    const both: [Line[], Line[]] = [at(one), at(other)];
    expect(both.flat()).toHaveLength(LINES);
    if (both.every((some) => some.length > 0)) return both;
  }
  return expect.fail('one gateway gets all connections');
}

const TIMES = runs({ few: 400, all: 2_000, most: 10_000 });

test('what was answered at one gateway is read at once at the other', {
  timeout: 600_000,
}, async () => {
  const server = await withTwo();
  const mel = personOf(server, 'mel');
  const max = personOf(server, 'max');
  const work = async (seed: number) => {
    const random = openRandom(seed);
    const both = await spread(server, mel);
    for (let round = 0; round < TIMES / WORKERS; round++) {
      const side = random.below(2);
      const writing = both[side]?.[0] ?? expect.fail();
      const reading = both[1 - side]?.[0] ?? expect.fail();
      const sent = await writing.ask(mel, 'POST', '/messages', { ...MESSAGE, content: 'soup' });
      expect(sent.status).toBe(200);
      const { status } = await reading.ask(max, 'GET', `/messages/${sent.body.id}`);
      expect([round, status]).toEqual([round, 200]);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, seed) => work(seed)));
});

test('a key that was replaced at one gateway is refused at once at the other, and the new one is not', {
  timeout: 600_000,
}, async () => {
  const server = await withTwo();
  const names = ['mel', 'max', 'mia', 'ada'].slice(0, WORKERS);
  const work = async (name: string, seed: number) => {
    const random = openRandom(seed);
    let as = personOf(server, name);
    const both = await spread(server, as);
    for (let round = 0; round < TIMES / WORKERS; round++) {
      const side = random.below(2);
      const writing = both[side]?.[0] ?? expect.fail();
      const reading = both[1 - side]?.[0] ?? expect.fail();
      const { body } = await writing.ask(as, 'POST', '/users/me/api_key/regenerate');
      const former = await reading.ask(as, 'GET', '/users/me');
      as = { ...as, apiKey: body.api_key };
      const latter = await reading.ask(as, 'GET', '/users/me');
      expect([round, former.status, latter.status]).toEqual([round, 401, 200]);
    }
  };
  await Promise.all(names.map(work));
});

test('of polls of one queue at both gateways one holds it, and it alone gets what comes', async () => {
  const server = await withTwo();
  const mel = personOf(server, 'mel');
  const max = personOf(server, 'max');
  const both = await spread(server, max);
  const queue = await server.register(max, { event_types: ['message'] });
  let last = queue.lastEventId;
  for (let round = 0; round < 10; round++) {
    const params = { queue_id: queue.id, last_event_id: last };
    const answered: unknown[][] = [];
    const polls = both.flat().map(async (line) => {
      const { status, body } = await line.ask(max, 'GET', '/events', params);
      expect(status).toBe(200);
      answered.push(body.events);
    });
    // All but the newest are told that another one has come.
    await expect.poll(() => answered.length).toBe(LINES - 1);
    expect(answered.flat()).toEqual([]);
    await server.post(mel, '/messages', { ...MESSAGE, content: `round ${round}` });
    await Promise.all(polls);
    const [event, ...more] = answered.flat() as { id: number; message: { content: string } }[];
    expect(more).toEqual([]);
    expect(event?.message.content).toBe(`round ${round}`);
    last = event?.id ?? 0;
  }
});

test('while one gateway is stopped, the other one answers, and nothing is lost to those who wait', async () => {
  const server = await withTwo();
  const mel = personOf(server, 'mel');
  const max = personOf(server, 'max');
  const [stopped, running] = await spread(server, mel);
  const [waiting = expect.fail()] = stopped;
  const [sending = expect.fail(), polling = expect.fail(), reading = sending] = running;
  const [pid = 0] = gatewaysOf(server);
  const queues = await Promise.all(
    [0, 1].map(() => server.register(max, { event_types: ['message'] })),
  );
  const poll = (line: Line, queue: { readonly id: string; readonly lastEventId: number }) =>
    line.ask(max, 'GET', '/events', { queue_id: queue.id, last_event_id: queue.lastEventId });
  const [theirs = expect.fail(), ours = expect.fail()] = queues;
  const late = poll(waiting, theirs);
  await pause(200);
  process.kill(pid, 'SIGSTOP');
  const contents: string[] = [];
  const heard: string[] = [];
  const until = Date.now() + runs({ few: 1_500, all: 3_000, most: 10_000 });
  try {
    for (let round = 0; Date.now() < until; round++) {
      const content = `round ${round}`;
      const { body } = await sending.ask(mel, 'POST', '/messages', { ...MESSAGE, content });
      contents.push(content);
      expect((await reading.ask(max, 'GET', `/messages/${body.id}`)).status).toBe(200);
      for (const event of (await poll(polling, ours)).body.events) {
        ours.lastEventId = event.id;
        heard.push(event.message.content);
      }
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(contents.length).toBeGreaterThan(1);
  expect(heard).toEqual(contents);
  // The stopped one has missed nothing.
  const found: string[] = [];
  for (let { body } = await late; ; { body } = await poll(waiting, theirs)) {
    for (const event of body.events) {
      theirs.lastEventId = event.id;
      found.push(event.message.content);
    }
    if (found.length >= contents.length) break;
  }
  expect(found).toEqual(contents);
  expect(gatewaysOf(server)).toContain(pid);
});
