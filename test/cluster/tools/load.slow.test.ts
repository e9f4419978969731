import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { differencesOf, hashStore } from '../../support/cluster/compare-stores.ts';
import { compareStored, startSends } from '../../support/cluster/ledger.ts';
import { startQueueCheck } from '../../support/cluster/queue-check.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const TOPIC = { channel: 'general', topic: 'ledger' };

async function started() {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const max = server.people['max'] ?? expect.fail();
  const node = { host: '127.0.0.1', port: server.port() };
  const credentials = ({ email, apiKey }: typeof mel) => ({ email, api_key: apiKey });
  // The second node is never there, as one of a cluster may be.
  const nodes = [node, { host: '127.0.0.1', port: 1 }];
  return { server, nodes, sender: credentials(mel), reader: credentials(max) };
}

test('a ledger and a queue are exact through a kill, and a loss or a repeat would show', async () => {
  const { server, nodes, sender, reader } = await started();
  const caller = { nodes, who: sender, ...TOPIC };
  const queue = await startQueueCheck({ nodes, who: reader });
  const ledger = startSends({ ...caller, senders: 8 });
  await expect.poll(() => ledger.acked.size).toBeGreaterThan(100);
  ledger.measureGap();
  await server.kill();
  const before = ledger.acked.size;
  queue.wander();
  await expect.poll(() => ledger.acked.size).toBeGreaterThan(before + 100);
  await ledger.stop();
  const found = await queue.stop();
  expect(ledger.refused).toEqual([]);
  expect(ledger.again()).toBeGreaterThan(0);
  expect(ledger.gapMs()).toBeGreaterThan(10);
  expect(found).toMatchObject({ disorder: 0, twice: [], refused: [] });
  expect(found.moves).toBeGreaterThan(0);
  expect([...found.keys].toSorted()).toEqual([...ledger.acked.keys()].toSorted());

  const alone = { ...caller, nodes: nodes.slice(0, 1) };
  const stored = await compareStored(alone, ledger.acked);
  expect(stored).toEqual({ stored: ledger.acked.size, lost: [], twice: [], otherId: [] });
  // A ledger that says otherwise is found wrong.
  const [first = '', second = ''] = ledger.acked.keys();
  const wrong = new Map(ledger.acked)
    .set('never-sent', 1)
    .set(first, ledger.acked.get(second) ?? 0);
  expect(await compareStored(alone, wrong)).toMatchObject({
    lost: ['never-sent'],
    otherId: [first, 'never-sent'],
  });
  const { body } = await server.post(server.people['mel'] ?? expect.fail(), '/messages', {
    type: 'channel',
    to: TOPIC.channel,
    topic: TOPIC.topic,
    content: `k:${first}: a message of some forty characters`,
  });
  expect(body.result).toBe('success');
  expect((await compareStored(alone, ledger.acked)).twice).toEqual([first]);
});

test('stores are compared byte by byte', async () => {
  const { server, nodes, sender } = await started();
  const storeOf = (data: string) => {
    const [realm = ''] = readdirSync(join(data, 'realms'));
    return join(data, 'realms', realm);
  };
  const copy = temporaryFolder();
  await server.end('SIGTERM');
  cpSync(server.data, copy, { recursive: true });
  expect(differencesOf(hashStore(storeOf(server.data)), hashStore(storeOf(copy)))).toEqual([]);
  await server.start();
  const alone = [{ host: '127.0.0.1', port: server.port() }, ...nodes.slice(1)];
  const ledger = startSends({ nodes: alone, who: sender, ...TOPIC, senders: 1 });
  await expect.poll(() => ledger.acked.size).toBeGreaterThan(0);
  await ledger.stop();
  await server.end('SIGTERM');
  const [now, before] = [hashStore(storeOf(server.data)), hashStore(storeOf(copy))];
  expect(differencesOf(now, before)).toContain('messages');
  expect(now.rows).toBeGreaterThan(before.rows);
  expect(before.tables.size).toBeGreaterThan(100);
});
