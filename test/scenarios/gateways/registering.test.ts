import { expect, test } from 'vitest';
import { expectExactRegisters } from '../../support/applying/exact-registers.ts';
import { personOf, startProcess } from '../../support/processes/start-process.ts';
import { runs } from '../../support/runs.ts';

test('4: a snapshot is exact while others write, whichever gateway reads it, and so is the queue from its beginning', {
  timeout: 600_000,
}, async () => {
  const server = await startProcess({ CONFAB_GATEWAYS: '2' });
  const person = (name: string) => personOf(server, name);
  await expectExactRegisters({
    writers: [server],
    readers: [server],
    people: { mel: person('mel'), ada: person('ada'), mia: person('mia'), max: person('max') },
    channel: 'general',
    rounds: runs({ few: 40, all: 100, most: 2_000 }),
  });
});

test('what is refused in one process is refused by gateways in the same words', async () => {
  const bodies: unknown[] = [];
  for (const count of ['0', '2']) {
    const server = await startProcess({ CONFAB_GATEWAYS: count });
    const max = personOf(server, 'max');
    const replies = [
      await server.post(null, '/register'),
      await server.post({ ...max, apiKey: 'x'.repeat(32) }, '/register'),
      await server.post(max, '/register', { narrow: [['nothing', 'x']] }),
      await server.post(max, '/register', { event_types: 'x' }),
      await server.post(null, '/register', { client_gravatar: false, include_subscribers: true }),
      await server.post(max, '/register', { event_types: ['message'], unknown: 1 }),
    ];
    bodies.push(
      replies.map(({ status, body }) => [
        status,
        status === 200 ? Object.keys(body) : body,
        body.ignored_parameters_unsupported,
      ]),
    );
  }
  expect(bodies[1]).toEqual(bodies[0]);
});
