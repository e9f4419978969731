import { describe, expect, onTestFinished, test } from 'vitest';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import { isNatsMissing, startNats } from '../../support/cluster/nats-servers.ts';

const SOON = { timeout: 30_000, interval: 200 };

describe.skipIf(isNatsMissing)('three NATS servers', () => {
  test('tell who leads the log of each shard, and whether all copies are current', async () => {
    const servers = await startNats();
    onTestFinished(() => servers.close());
    const node = await openNatsCluster({ servers: servers.urls, node: 'a' });
    onTestFinished(() => node.close());
    for (const shard of [0, 1]) {
      const log = await node.openLog(shard);
      await log.append({ expected: 0, id: `${shard}`, epoch: 1, body: Buffer.from('record') });
    }
    await expect
      .poll(() => node.standing(), SOON)
      .toMatchObject({
        isConnected: true,
        logs: [
          { shard: 0, records: 1, copies: 3, current: 3 },
          { shard: 1, records: 1, copies: 3, current: 3 },
        ],
      });
    const { server, roundTripMs, logs } = await node.standing();
    expect(servers.names).toContain(server);
    expect(roundTripMs).toBeGreaterThanOrEqual(0);
    for (const { leader, bytes } of logs) {
      expect(servers.names).toContain(leader);
      expect(bytes).toBeGreaterThan(0);
    }
    const lost = servers.names.findIndex((name) => name !== server);
    await servers.end(lost, 'SIGKILL');
    await expect
      .poll(async () => (await node.standing()).logs.map(({ current }) => current), SOON)
      .toEqual([2, 2]);
  }, 120_000);
});
