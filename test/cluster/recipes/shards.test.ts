import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import type { ShardLog } from '../../../src/cluster/log/shard-log.ts';
import { freshShard } from '../../support/cluster/log/records.ts';
import { isNatsMissing, startNats } from '../../support/cluster/nats-servers.ts';
import { percentile, recipe } from '../../support/cluster/recipe.ts';

/** Each active shard is a stream of its own, whose records are synced one by one. */
const ACTIVE = [8, 32, 128];
const BODY = randomBytes(700);

interface Appended {
  readonly stored: number;
  readonly tookMs: readonly number[];
}

/** Appends so many records, each when the one before is stored. */
async function appendTo(log: ShardLog, count: number): Promise<Appended> {
  const tookMs: number[] = [];
  let stored = 0;
  for (let expected = 0; expected < count; expected += 1) {
    const id = randomBytes(8).toString('hex');
    const since = performance.now();
    if ((await log.append({ expected, id, epoch: 1, body: BODY })) === 'stored') stored += 1;
    tookMs.push(performance.now() - since);
  }
  return { stored, tookMs };
}

recipe({
  name: 'owners of 8, 32 and 128 shards append at the same time; runs are appends in all',
  passes: 'every record is stored once',
  // It measures: other recipes append in CI.
  runs: { few: 0, full: 12_800 },
  isLeftOut: isNatsMissing,
  timeoutMs: 1_800_000,
  async run(runs) {
    const servers = await startNats({ isOnDisk: true });
    onTestFinished(() => servers.close());
    const figures: string[] = [];
    let isWhole = true;
    for (const shards of ACTIVE) {
      const node = await openNatsCluster({ servers: servers.urls, node: `of ${shards}` });
      const logs: ShardLog[] = [];
      for (let number = 0; number < shards; number += 1) {
        logs.push(await node.openLog(freshShard()));
      }
      const each = runs / shards;
      const since = performance.now();
      const all = await Promise.all(logs.map((log) => appendTo(log, each)));
      const seconds = (performance.now() - since) / 1_000;
      const lasts = await Promise.all(logs.map((log) => log.last()));
      isWhole &&= lasts.every((last) => last === each);
      isWhole &&= all.every(({ stored }) => stored === each);
      const took = all.flatMap(({ tookMs }) => tookMs);
      const ms = (percent: number) => percentile(took, percent).toFixed(0);
      figures.push(`${shards}: ${Math.round(runs / seconds)}/s, p50 ${ms(50)}, p99 ${ms(99)} ms`);
      await node.close();
    }
    return { figure: figures.join('; '), holds: isWhole };
  },
});
