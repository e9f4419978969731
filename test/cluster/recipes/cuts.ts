import { setTimeout as pause } from 'node:timers/promises';
import { percentile, recipe, repeated } from '../../support/cluster/recipe.ts';
import { type Site, saidOf, startLoad, type Way } from '../../support/cluster/recipes/site.ts';

/** Each message is sent to two nodes at once, so half as many send. */
const WIDTH = 16;

interface Cut {
  readonly name: string;
  readonly way: Way;
  readonly seconds: number;
  readonly few: number;
}

const CUTS: readonly Cut[] = [
  { name: 'the owner is cut off from NATS, for 1 s', way: 'both', seconds: 1, few: 0 },
  { name: 'the owner is cut off from NATS, for 3 s', way: 'both', seconds: 3, few: 1 },
  { name: 'the owner is cut off from NATS, for 20 s', way: 'both', seconds: 20, few: 0 },
  { name: 'what the owner sends to NATS is lost, for 5 s', way: 'to', seconds: 5, few: 1 },
  { name: 'what NATS sends to the owner is lost, for 5 s', way: 'from', seconds: 5, few: 1 },
];
const FULL = 20;

/** The recipes of an owner whose packets to or from the log are dropped; clients reach it still. */
export function cutRecipes(site: () => Site, isLeftOut: boolean): void {
  for (const { name, way, seconds, few } of CUTS) {
    recipe({
      name,
      passes: 'no key has two answers, nothing is lost, no read at a node goes back',
      runs: { few, full: FULL },
      isLeftOut,
      timeoutMs: 1_800_000,
      async run(runs) {
        const { nodes, network, cutOff } = site();
        const load = await startLoad(site(), { senders: WIDTH, isTwofold: true });
        const gaps: number[] = [];
        let moves = 0;
        const done = await repeated(runs, async () => {
          const owner = await nodes.owner();
          await load.goesOn();
          load.ledger.measureGap();
          cutOff(owner, way);
          await pause(seconds * 1_000);
          network.heal();
          await load.goesOn();
          gaps.push(load.ledger.gapMs());
          await nodes.level().catch(() => {});
          if ((await nodes.owner()) !== owner) moves += 1;
        });
        const { figure, isSafe } = saidOf(await load.stop());
        const s = (percent: number) => (percentile(gaps, percent) / 1_000).toFixed(1);
        return {
          figure: `${figure}; ${moves} times another node took over; gap p50 ${s(50)}, at most ${s(100)} s`,
          runs: done,
          isSafe,
          holds: isSafe,
        };
      },
    });
  }
}
