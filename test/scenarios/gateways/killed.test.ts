import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatewaysOf, openLine } from '../../support/gateways/lines.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import { openRandom } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch' };
const QUEUES = runs({ few: 12, all: 40, most: 1_000 });
const SENDERS = runs({ few: 6, all: 16, most: 64 });
const FEW_KILLS = 2;
const KILLS = runs({ few: FEW_KILLS, all: 3, most: 50 });
/** Each sender sends about so often (ms), so that a queue gets some thousand messages at most. */
const SEND_PAUSE_MS = 40 * SENDERS;

/** Sends until it is acknowledged, with a key by which it is stored once. Returns the attempts. */
async function insistOnSending(server: ServerProcess, as: Person, content: string) {
  for (let attempts = 1; ; attempts++) {
    try {
      const headers = { 'idempotency-key': content };
      const params = { ...MESSAGE, content };
      const request = { method: 'POST', path: '/messages', params, headers };
      if ((await server.ask(as, request)).status === 200) return attempts;
    } catch {
      // The connection has ended: the outcome is not known.
    }
    await pause(50);
  }
}

interface Listener {
  readonly contents: string[];
  /** The queue is there: it gets all that is sent from now on. */
  readonly registered: Promise<unknown>;
  /** Ends when everything that was sent has come. */
  readonly all: Promise<void>;
}

/** Polls a queue on a connection that is opened again, at any gateway, each time it ends. */
function listen(server: ServerProcess, as: Person, isAll: (count: number) => boolean): Listener {
  const contents: string[] = [];
  const line = openLine(server.port());
  async function registered() {
    for (;;) {
      try {
        const params = { event_types: ['message'], fetch_event_types: [] };
        const { status, body } = await line.ask(as, 'POST', '/register', params);
        if (status === 200) return { id: body.queue_id as string, last: body.last_event_id };
      } catch {
        await pause(50);
      }
    }
  }
  const queue = registered();
  async function poll() {
    const { id, last } = await queue;
    let position: number = last;
    while (!isAll(contents.length)) {
      const params = { queue_id: id, last_event_id: position };
      const answer = await line.ask(as, 'GET', '/events', params).catch(() => null);
      if (answer === null || answer.status >= 500) await pause(50);
      else {
        // The queue is never gone.
        expect(answer).toMatchObject({ status: 200 });
        for (const event of answer.body.events) {
          expect(event.id).toBeGreaterThan(position);
          position = event.id;
          if (event.type === 'message') contents.push(event.message.content);
        }
      }
    }
  }
  return { contents, registered: queue, all: poll() };
}

/** Counts what queues lack of all that was acknowledged, have twice, or have in another order. */
function faultsIn(queues: readonly (readonly string[])[], acknowledged: readonly string[]) {
  const [order = []] = queues;
  const place = new Map(order.map((content, index) => [content, index]));
  let [lost, repeated, reordered] = [0, 0, 0];
  for (const contents of queues) {
    const got = new Set(contents);
    repeated += contents.length - got.size;
    for (const content of acknowledged) if (!got.has(content)) lost += 1;
    for (const [index, content] of contents.entries()) {
      if (index > 0 && (place.get(contents[index - 1] ?? '') ?? 0) > (place.get(content) ?? 0)) {
        reordered += 1;
      }
    }
  }
  return { lost, repeated, reordered };
}

test.each(['a gateway', 'the writer'] as const)(
  'nothing is lost or repeated when %s is killed over and over',
  { timeout: 3_000_000 },
  async (victim) => {
    const server = await startProcess({ CONFAB_GATEWAYS: '2' });
    const mel = personOf(server, 'mel');
    const max = personOf(server, 'max');
    const random = openRandom(22);
    let isOver = false;
    let sent = 0;
    let attempts = 0;
    const acknowledged: string[] = [];
    let isAllSent = false;
    const isAll = (count: number) => isAllSent && count >= sent;
    const listeners = Array.from({ length: QUEUES }, () => listen(server, max, isAll));
    await Promise.all(listeners.map(({ registered }) => registered));
    const sending = Array.from({ length: SENDERS }, async (_, sender) => {
      for (let count = 0; !isOver; count++) {
        const tries = await insistOnSending(server, mel, `${sender} ${count}`);
        attempts += tries;
        acknowledged.push(`${sender} ${count}`);
        sent += 1;
        await pause(random.below(2 * SEND_PAUSE_MS));
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(200 + random.below(600));
      const before = gatewaysOf(server);
      const killed = before[random.below(2)] ?? expect.fail('there are two');
      if (victim === 'the writer') await server.kill();
      else process.kill(killed, 'SIGKILL');
      const others = () => gatewaysOf(server).filter((pid) => pid !== killed);
      await expect.poll(() => others().length).toBe(2);
    }
    isOver = true;
    await Promise.all(sending);
    isAllSent = true;
    await Promise.all(listeners.map(({ all }) => all));
    const [first] = listeners;
    expect(sent).toBeGreaterThan(KILLS);
    const figures = {
      kills: KILLS,
      senders: SENDERS,
      queues: QUEUES,
      attempts,
      acknowledged: sent,
      delivered: listeners.reduce((sum, { contents }) => sum + contents.length, 0),
      ...faultsIn(
        listeners.map(({ contents }) => contents),
        acknowledged,
      ),
    };
    if (KILLS > FEW_KILLS) process.stdout.write(`${victim}: ${JSON.stringify(figures)}\n`);
    expect(figures).toMatchObject({ lost: 0, repeated: 0, reordered: 0 });
    for (const { contents } of listeners) expect(contents).toEqual(first?.contents);
  },
);
