import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { streamOf } from '../../../src/cluster/log/nats/nats-streams.ts';
import { compareStored, startSends } from '../../support/cluster/ledger.ts';
import { isNatsMissing, startNats } from '../../support/cluster/nats-servers.ts';
import {
  CHANNEL,
  makeSmallRealm,
  type NodeProcess,
  type NodeProcesses,
  openNodes,
} from '../../support/cluster/node-processes.ts';
import { recipe, repeated } from '../../support/cluster/recipe.ts';
import { startReads } from '../../support/cluster/recipes/reads.ts';
import { otherStores } from '../../support/cluster/recipes/site.ts';
import { openStreams } from '../../support/cluster/streams.ts';
import { hasGateway, startGateway } from '../../support/files/object-service.ts';
import { builtFile } from '../../support/processes/dist.ts';
import { run } from '../../support/processes/run.ts';

const RECORDS = 100;
const STOP_MS = 60_000;

/** The outcome of one run. */
interface Found {
  readonly acked: number;
  readonly cut: number;
  /** Nodes that still ran, and what they had acknowledged after the cut. */
  readonly running: number;
  readonly ackedAfter: number;
  readonly backwards: number;
  /** Found after the log was rebuilt. */
  readonly lost: number;
  readonly twice: number;
  readonly otherStores: number;
}

recipe({
  name: `the log is cut back by ${RECORDS} records under three nodes, and built again by \`rebuild-log\``,
  passes: 'all nodes stop, and acknowledge nothing before; then all that was acknowledged is there',
  runs: { few: 1, full: 10 },
  isLeftOut: isNatsMissing || !hasGateway(),
  timeoutMs: 3_600_000,
  async run(runs) {
    const found: Found[] = [];
    const done = await repeated(runs, async () => {
      found.push(await once());
    });
    const total = (of: (one: Found) => number) => found.reduce((sum, one) => sum + of(one), 0);
    const [running, after, back] = [
      total((one) => one.running),
      total(({ ackedAfter }) => ackedAfter),
      total(({ backwards }) => backwards),
    ];
    const [lost, twice, others] = [
      total((one) => one.lost),
      total((one) => one.twice),
      total((one) => one.otherStores),
    ];
    return {
      runs: done,
      figure:
        `${total(({ cut }) => cut)} records cut; ${running} nodes ran on, ${after} acknowledged after it, ` +
        `${back} reads went back; then ${lost} of ${total(({ acked }) => acked)} lost, ${twice} twice, ${others} stores differ`,
      holds: running + after + back + lost + twice + others === 0,
    };
  },
});

async function once(): Promise<Found> {
  const { servers, nodes, env, close } = await started();
  try {
    const { mel, max } = await makeSmallRealm(nodes);
    const callerOf = (who: typeof mel) => ({
      nodes: nodes.all.map((node) => node.address()),
      host: { host: 'test.localhost', port: 80 },
      who: { email: who.email, api_key: who.apiKey },
    });
    const place = { channel: CHANNEL, topic: 'cut back' };
    const ledger = startSends({ ...callerOf(mel), ...place, senders: 4 });
    await expect.poll(() => ledger.acked.size, { timeout: 40_000 }).toBeGreaterThan(50);
    servers.keep();
    const kept = await sequenceOf(nodes);
    await expect
      .poll(() => sequenceOf(nodes), { timeout: 60_000, interval: 50 })
      .toBeGreaterThan(kept + RECORDS);
    await ledger.stop();
    await nodes.level();
    const cut = (await sequenceOf(nodes)) - kept;
    // Clients go on, at all nodes.
    const reads = startReads(callerOf(max), place);
    const late = startSends({ ...callerOf(mel), ...place, senders: 2 });
    await servers.restore();
    const before = late.acked.size;
    const isRunning = (node: NodeProcess) => node.isRunning();
    await expect
      .poll(() => nodes.all.filter(isRunning).length, { timeout: STOP_MS })
      .toBe(0)
      .catch(() => {});
    const running = nodes.all.filter(isRunning).length;
    const ackedAfter = late.acked.size - before;
    for (const node of nodes.all) {
      // A node that has stopped says why.
      if (!node.isRunning()) expect(node.stderr()).toMatch(/[Tt]he log|its log/);
    }
    const backwards = await reads.stop();
    await Promise.all(nodes.all.map((node) => node.end('SIGKILL')));
    await rebuild(servers.urls, nodes, env);
    // Requests that were sent meanwhile are answered now.
    await late.stop();
    await nodes.level();
    const acked = new Map([...ledger.acked, ...late.acked]);
    const stored = await Promise.all(
      nodes.all.map((node) =>
        compareStored({ ...callerOf(mel), ...place, nodes: [node.address()] }, acked),
      ),
    );
    return {
      acked: acked.size,
      cut,
      running,
      ackedAfter,
      backwards,
      lost: Math.max(...stored.map(({ lost, otherId }) => Math.max(lost.length, otherId.length))),
      twice: Math.max(...stored.map(({ twice }) => twice.length)),
      otherStores: await otherStores(nodes),
    };
  } finally {
    await close();
  }
}

async function started() {
  const servers = await startNats();
  const gateway = await startGateway();
  const env = { ...gateway.env, CONFAB_FILES: 's3://backups/cluster' };
  const nodes = await openNodes({ servers: servers.urls, names: ['a', 'b', 'c'], env });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await nodes.close();
    await servers.close();
    gateway.stop();
  };
  onTestFinished(close);
  return { servers, nodes, env, close };
}

/** Returns the number of the newest record that a node has. */
async function sequenceOf(nodes: NodeProcesses): Promise<number> {
  const owner = await nodes.owner();
  const [said] = (await owner.command('status')) as { shards: { sequence: number }[] }[];
  return said?.shards[0]?.sequence ?? expect.fail('The node says nothing of its shard');
}

/** Does what the operator's guide says, on all nodes. */
async function rebuild(
  urls: readonly string[],
  { all }: NodeProcesses,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const streams = await openStreams({ urls, names: [] });
  await streams.jsm.streams.delete(streamOf(0));
  await streams.close();
  // Nodes that have just ended are taken for alive a little longer.
  await pause(1_000);
  await Promise.all(
    all.map(async ({ name, data }) => {
      const words = [builtFile('confab'), 'cluster', 'rebuild-log'];
      const { code, stderr } = await run(process.execPath, words, {
        ...env,
        CONFAB_DATA: data,
        CONFAB_CLUSTER: urls.join(),
        CONFAB_CLUSTER_ADDRESS: '127.0.0.1:1',
        CONFAB_CLUSTER_SHARDS: '1',
        CONFAB_CLUSTER_UNSAFE: '1',
        CONFAB_NODE: name,
      });
      if (code !== 0) throw new Error(`rebuild-log: ${stderr}`);
    }),
  );
  await Promise.all(all.map((node) => node.start()));
}
