import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { NodeProcess } from '../../support/cluster/node-processes.ts';
import { percentile, recipe, repeated } from '../../support/cluster/recipe.ts';
import {
  type Site,
  saidOf,
  startLoad,
  type UnderLoad,
} from '../../support/cluster/recipes/site.ts';

/** How many send at once. */
const WIDTH = 64;

interface OwnerRecipe {
  readonly name: string;
  /** The gap in which nothing is acknowledged is shorter, at the 99th percentile. */
  readonly gapMsMax: number;
  readonly few: number;
  readonly full: number;
  /** Brings the fault about. Resolves with what is done once another node is the owner. */
  readonly fault: (site: Site, owner: NodeProcess) => Promise<() => Promise<void>>;
}

/** Makes a recipe of something that happens to the owner under load. */
function ownerRecipe(
  site: () => Site,
  { name, gapMsMax, few, full, fault }: OwnerRecipe,
  isLeftOut: boolean,
): void {
  recipe({
    name,
    passes: `nothing acknowledged is lost or twice, queues are exact, stores are equal; p99 of the gap < ${gapMsMax / 1_000} s`,
    runs: { few, full },
    isLeftOut,
    timeoutMs: 3_600_000,
    async run(runs) {
      const load = await startLoad(site(), { senders: WIDTH });
      const gaps: number[] = [];
      const done = await repeated(runs, async () => {
        gaps.push(await once(site(), load, fault));
      });
      const { figure, isSafe } = saidOf(await load.stop());
      const s = (percent: number) => (percentile(gaps, percent) / 1_000).toFixed(1);
      return {
        figure: `${figure}; gap p50 ${s(50)}, p99 ${s(99)} s`,
        runs: done,
        isSafe,
        holds: isSafe && percentile(gaps, 99) < gapMsMax,
      };
    },
  });
}

/** Brings the fault about once. Returns the time in which nothing was acknowledged. */
async function once(site: Site, load: UnderLoad, fault: OwnerRecipe['fault']): Promise<number> {
  const { nodes } = site;
  const owner = await nodes.owner();
  // One of three servers may be away, and not two.
  await site.streams.whole(0);
  await load.goesOn();
  load.ledger.measureGap();
  const mend = await fault(site, owner);
  const next = await nodes.owner(owner);
  expect(next).not.toBe(owner);
  await load.goesOn();
  const gapMs = load.ledger.gapMs();
  await mend();
  // It follows again before the next fault.
  await nodes.level().catch(() => {});
  return gapMs;
}

/** The recipes of an owner that ends, moves or sleeps. */
export function ownerRecipes(site: () => Site, isLeftOut: boolean): void {
  const make = (one: OwnerRecipe) => ownerRecipe(site, one, isLeftOut);
  make({
    name: 'the owner is killed, and started again within the window for repeats',
    gapMsMax: 3_000,
    few: 1,
    full: 50,
    async fault(_, owner) {
      await owner.end('SIGKILL');
      return () => owner.start();
    },
  });
  make({
    name: 'the shard is moved to another node',
    gapMsMax: 1_000,
    few: 2,
    full: 50,
    async fault({ nodes }, owner) {
      const to = nodes.all.find((node) => node !== owner) ?? expect.fail();
      await owner.command('cluster move', { shard: 0, to: to.name });
      return async () => {};
    },
  });
  make({
    name: 'the owner is told to end, and started again',
    gapMsMax: 3_000,
    few: 1,
    full: 20,
    async fault(_, owner) {
      await owner.end('SIGTERM');
      return () => owner.start();
    },
  });
  make({
    name: 'the owner sleeps for 5 s in the middle of its appends, and wakes',
    gapMsMax: 12_000,
    few: 1,
    full: 20,
    async fault({ nodes }, owner) {
      owner.signal('SIGSTOP');
      await pause(5_000);
      owner.signal('SIGCONT');
      return async () => {
        // It steps down by itself: the shard is not its own any more.
        await expect.poll(() => nodes.owner(), { timeout: 10_000 }).not.toBe(owner);
      };
    },
  });
  make({
    name: 'the leader of the log and the owner are killed together',
    gapMsMax: 12_000,
    few: 1,
    full: 20,
    async fault({ servers, streams }, owner) {
      const leader = await streams.leaderOf(0);
      await Promise.all([servers.end(leader, 'SIGKILL'), owner.end('SIGKILL')]);
      return async () => {
        await servers.start(leader);
        await owner.start();
        await pause(1_000);
      };
    },
  });
}
