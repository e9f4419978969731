import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { compareStored, type Ledger, startSends } from '../../support/cluster/ledger.ts';
import { isNatsMissing, startNats } from '../../support/cluster/nats-servers.ts';
import {
  CHANNEL,
  makeSmallRealm,
  type NodeProcess,
  type NodeProcesses,
  openNodes,
} from '../../support/cluster/node-processes.ts';
import { recipe, repeated } from '../../support/cluster/recipe.ts';
import { otherStores } from '../../support/cluster/recipes/site.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';

/** A commit of a store takes one sync or two: after the first it is in its middle, or is done. */
const POINTS = [
  { who: 'owner', sync: 1 },
  { who: 'owner', sync: 2 },
  { who: 'owner', sync: 3 },
  { who: 'follower', sync: 1 },
  { who: 'follower', sync: 2 },
] as const;

interface Found {
  readonly acked: number;
  readonly faults: number;
}

/** Has a node end right after one of its syncs, while others send. */
async function endAt(
  nodes: NodeProcesses,
  node: NodeProcess,
  { trigger, sync, send }: { trigger: string; sync: number; send: () => Ledger },
): Promise<Ledger> {
  const ledger = send();
  await expect.poll(() => ledger.acked.size, { timeout: 40_000 }).toBeGreaterThan(20);
  writeFileSync(trigger, String(sync));
  await expect.poll(() => node.isRunning(), { timeout: 40_000, interval: 10 }).toBe(false);
  rmSync(trigger);
  await nodes.owner(node);
  const before = ledger.acked.size;
  await expect.poll(() => ledger.acked.size, { timeout: 40_000 }).toBeGreaterThan(before + 20);
  await ledger.stop();
  await node.start();
  await nodes.level();
  return ledger;
}

recipe({
  name: 'the owner, or a follower, is killed right after a sync of its store, at five points by turns',
  passes: 'nothing acknowledged is lost or twice, and the stores are equal',
  runs: { few: 2, full: 50 },
  isLeftOut: isNatsMissing || !hasCompiler,
  timeoutMs: 1_800_000,
  async run(runs) {
    const servers = await startNats();
    const { library } = buildSyncShim();
    const triggers = new Map(['a', 'b', 'c'].map((name) => [name, buildSyncShim().trigger]));
    const nodes = await openNodes({
      servers: servers.urls,
      names: [...triggers.keys()],
      envOf: (name) => ({ LD_PRELOAD: library, LAST_SYNC: triggers.get(name) ?? '' }),
    });
    onTestFinished(async () => {
      await nodes.close();
      await servers.close();
    });
    const { mel } = await makeSmallRealm(nodes);
    const found: Found[] = [];
    const done = await repeated(runs, async (run) => {
      const { who, sync } = POINTS[(run * 3) % POINTS.length] ?? POINTS[0];
      const owner = await nodes.owner();
      const node =
        who === 'owner'
          ? owner
          : (nodes.all.find((other) => other !== owner) ?? expect.fail('There is one node'));
      const sends = {
        nodes: nodes.all.map((one) => one.address()),
        host: { host: 'test.localhost', port: 80 },
        who: { email: mel.email, api_key: mel.apiKey },
        channel: CHANNEL,
        topic: `syncs ${run}`,
      };
      const trigger = triggers.get(node.name) ?? expect.fail('Each node has a trigger');
      expect(existsSync(trigger)).toBe(false);
      const send = () => startSends({ ...sends, senders: 8 });
      const ledger = await endAt(nodes, node, { trigger, sync, send });
      const stored = await compareStored(sends, ledger.acked);
      const faults = stored.lost.length + stored.twice.length + stored.otherId.length;
      found.push({
        acked: ledger.acked.size,
        faults: faults + ledger.refused.length + (await otherStores(nodes)),
      });
    });
    const total = (of: (one: Found) => number) => found.reduce((sum, one) => sum + of(one), 0);
    const faults = total((one) => one.faults);
    return {
      runs: done,
      figure: `${total(({ acked }) => acked)} acknowledged, ${faults} faults`,
      holds: faults === 0,
    };
  },
});
