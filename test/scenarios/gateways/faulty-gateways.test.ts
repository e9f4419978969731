import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientPortsOf, gatewaysOf, openLine } from '../../support/gateways/lines.ts';
import { personOf, startProcess } from '../../support/processes/start-process.ts';
import { runs } from '../../support/runs.ts';

const FAULT = join(import.meta.dirname, '../../support/gateways/fault.cjs');
const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch' };

/** The last one is ended after a minute of silence. */
const FAULTS = [
  ['throws', /it ended|a fault of the test/],
  ['runs out of heap', /it ended with SIG/],
  ['hangs', /it took no turn for a minute/],
] as const;

test.each(FAULTS.slice(0, runs({ few: 2, all: 3 })))(
  'a gateway that %s costs only its own connections, and another one takes its place',
  { timeout: 180_000 },
  async (fault, why) => {
    const server = await startProcess({
      CONFAB_GATEWAYS: '2',
      FAULT: fault,
      NODE_OPTIONS: `--require=${FAULT} --max-old-space-size=200`,
    });
    const mel = personOf(server, 'mel');
    const max = personOf(server, 'max');
    const lines = Array.from({ length: 12 }, () => openLine(server.port()));
    await Promise.all(lines.map((line) => line.ask(mel, 'GET', '/users/me')));
    const before = gatewaysOf(server);
    const [faulty = 0, sound = 0] = before;
    const ports = clientPortsOf(sound);
    const theirs = lines.filter((line) => ports.has(line.port() ?? 0));
    const others = lines.filter((line) => !theirs.includes(line));
    expect(theirs.length).toBeGreaterThan(0);
    const queue = await server.register(max, { event_types: ['message'] });
    const lost = Promise.all(
      others.map((line) =>
        line.ask(max, 'GET', '/events', { queue_id: queue.id, last_event_id: queue.lastEventId }),
      ),
    ).catch(() => 'lost');

    process.kill(faulty, 'SIGUSR2');
    const contents: string[] = [];
    const talk = async () => {
      for (const line of theirs) {
        contents.push(`message ${contents.length}`);
        const { status } = await line.ask(mel, 'POST', '/messages', {
          ...MESSAGE,
          content: contents.at(-1),
        });
        expect(status).toBe(200);
      }
    };
    await talk();
    // The others' connections go on through all of it.
    await expect
      .poll(() => gatewaysOf(server).filter((pid) => pid !== faulty).length, { timeout: 120_000 })
      .toBe(2);
    await talk();
    await lost;
    expect(gatewaysOf(server)).toContain(sound);
    expect(server.stderr()).toContain('a gateway');
    expect(server.stderr()).toMatch(why);
    const heard: string[] = [];
    while (heard.length < contents.length) {
      // Wherever it comes to, the queue goes on.
      for (const { message } of await queue.next()) heard.push(message.content);
    }
    expect(heard).toEqual(contents);
  },
);
