import { expect } from 'vitest';
import { expectExactRegisters } from '../../support/applying/exact-registers.ts';
import { startSends } from '../../support/cluster/ledger.ts';
import { CHANNEL, type NodeProcess } from '../../support/cluster/node-processes.ts';
import { recipe } from '../../support/cluster/recipe.ts';
import { openManyQueues } from '../../support/cluster/recipes/many-queues.ts';
import type { Site } from '../../support/cluster/recipes/site.ts';

/** In the short form, whose queues are fewer, the owner moves less often. */
const MOVES = { few: 3, full: 10 };
const QUEUES = { few: 300, full: 10_000 };

/** Sends while the shard moves to the next node. Returns what was acknowledged. */
async function moveUnderLoad(site: Site, move: number): Promise<ReadonlyMap<string, number>> {
  const { nodes } = site;
  const sends = { ...site.people().sender, channel: CHANNEL, topic: 'queues' };
  const ledger = startSends({ ...sends, senders: 2, restMs: 150 });
  const owner = await nodes.owner();
  await expect.poll(() => ledger.acked.size, { timeout: 40_000 }).toBeGreaterThan(3);
  const others = nodes.all.filter((node) => node !== owner);
  const to = others[move % others.length] ?? expect.fail('There is one node only');
  await owner.command('cluster move', { shard: 0, to: to.name });
  await nodes.owner(owner);
  const before = ledger.acked.size;
  await expect.poll(() => ledger.acked.size, { timeout: 40_000 }).toBeGreaterThan(before + 3);
  await ledger.stop();
  expect(ledger.refused).toEqual([]);
  return ledger.acked;
}

/** The recipes of clients at followers. */
export function queueRecipes(site: () => Site, isLeftOut: boolean): void {
  recipe({
    name: `queues on an owner and five followers, the owner moved ${MOVES.full} times; runs are queues`,
    passes: 'every queue has every message once, in order, whichever node is polled',
    runs: QUEUES,
    isLeftOut,
    timeoutMs: 1_800_000,
    async run(count) {
      const { nodes, network } = site();
      const further: NodeProcess[] = [];
      try {
        for (const name of ['d', 'e', 'f']) {
          further.push(await nodes.add(name, network.openHost(name)));
        }
        await nodes.level();
        const queues = await openManyQueues(site().people().reader, count);
        const acked = new Map<string, number>();
        const moves = count === QUEUES.full ? MOVES.full : MOVES.few;
        for (let move = 0; move < moves; move += 1) {
          const [more] = await Promise.all([moveUnderLoad(site(), move), queues.sweep()]);
          for (const [key, id] of more) acked.set(key, id);
        }
        await nodes.level();
        const wrong = await queues.stop(acked);
        const [refused] = queues.refused;
        return {
          figure:
            `${wrong} of ${count} queues wrong, ${acked.size} messages each, ${queues.polls()} polls` +
            (refused === undefined ? '' : `; ${queues.refused.length} refused: ${refused}`),
          holds: wrong === 0 && refused === undefined,
        };
      } finally {
        for (const node of further) await nodes.remove(node);
        // One of them may have been the owner.
        await nodes.owner();
      }
    },
  });

  recipe({
    name: 'registers at followers while all nodes are written to',
    passes: 'every snapshot is exact, and its queue goes on where it ends',
    runs: { few: 30, full: 500 },
    isLeftOut,
    timeoutMs: 1_800_000,
    async run(rounds) {
      const { nodes, realm } = site();
      const owner = await nodes.owner();
      await expectExactRegisters({
        writers: nodes.all,
        readers: nodes.all.filter((node) => node !== owner),
        people: realm,
        channel: CHANNEL,
        rounds,
      });
      return { figure: `${rounds} of ${rounds} exact`, holds: true };
    },
  });
}
