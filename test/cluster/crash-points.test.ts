import { expect, vi } from 'vitest';
import type { Fate } from '../../src/cluster/log/memory/faults.ts';
import { decodeRecord } from '../../src/cluster/records/record.ts';
import { copiesOf } from '../support/cluster/copies.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { recipe, repeated } from '../support/cluster/recipe.ts';
import type { Person } from '../support/users.ts';

/** Three nodes in memory, one of which owns the shard. */
interface World {
  readonly cluster: TestCluster;
  readonly owner: TestNode;
  readonly followers: readonly TestNode[];
  readonly mel: Person;
  readonly max: Person;
  readonly key: string;
  /** Sends the message with its key; undefined if it is not answered. */
  send(node: TestNode): Promise<{ readonly status: number; readonly id: number } | undefined>;
}

/** The end of something at one step. It resolves when the nodes that end have ended. */
type Point = (world: World) => Promise<void>;

const settled = async (work: Promise<unknown>) => void (await work.catch(() => undefined));

/** Has the owner take no part in what the others hear, so that they claim. */
function silence({ owner }: World): void {
  owner.store.faults.onMessage = ({ kind }) => (kind === 'message' ? [] : [0]);
}

function speak({ owner }: World): void {
  owner.store.faults.onMessage = undefined;
}

/** Returns the claims that the log has. */
const claimsIn = ({ cluster }: World): number =>
  cluster.log.recordsOf(0).filter(({ body }) => decodeRecord(body).payload.kind === 'claim').length;

async function claimed(world: World, more: number): Promise<void> {
  await vi.waitFor(() => expect(claimsIn(world)).toBeGreaterThanOrEqual(more), {
    timeout: 15_000,
    interval: 10,
  });
}

/** Holds the next append of the owner up. Returns what lets it arrive. */
function holdAppend({ owner }: World): { readonly begun: Promise<void>; readonly let: () => void } {
  let arrive = () => {};
  let tellBegun = () => {};
  const held = new Promise<'arrives'>((resolve) => {
    arrive = () => resolve('arrives');
  });
  const begun = new Promise<void>((resolve) => {
    tellBegun = resolve;
  });
  owner.store.faults.onAttempt = () => {
    tellBegun();
    return held;
  };
  return {
    begun,
    let() {
      owner.store.faults.onAttempt = undefined;
      arrive();
    },
  };
}

/** The owner ends at its next append, of which becomes what is said. */
const ownerEnds =
  (fate: 'lost' | 'unanswered'): Point =>
  async (world) => {
    const { owner } = world;
    let ended: Promise<void> | undefined;
    owner.store.faults.onAttempt = () => {
      ended ??= new Promise((resolve) => setImmediate(() => resolve(owner.kill())));
      return fate;
    };
    await world.send(owner);
    await ended;
  };

/** The first to claim ends at its claim, of which becomes what is said. */
const claimerEnds =
  (fate: 'lost' | 'unanswered'): Point =>
  async ({ owner, followers }) => {
    let ended: Promise<void> | undefined;
    for (const node of followers) {
      node.store.faults.onAttempt = () => {
        for (const one of followers) one.store.faults.onAttempt = undefined;
        ended ??= new Promise((resolve) => setImmediate(() => resolve(node.kill())));
        return fate;
      };
    }
    await owner.kill();
    await vi.waitFor(() => expect(ended).toBeDefined(), { timeout: 15_000 });
    await ended;
  };

const POINTS: Readonly<Record<string, Point>> = {
  'the owner ends before its append is stored': ownerEnds('lost'),
  'the owner ends when its append is stored, and not answered': ownerEnds('unanswered'),
  async 'the append of an owner that has ended arrives when another has claimed'(world) {
    const held = holdAppend(world);
    const claims = claimsIn(world);
    const sent = settled(world.send(world.owner));
    await held.begun;
    await world.owner.kill();
    await claimed(world, claims + 1);
    const before = world.cluster.log.recordsOf(0).length;
    held.let();
    await sent;
    expect(world.cluster.log.recordsOf(0).length).toBeLessThanOrEqual(before + 1);
  },
  async 'an append is stored and not answered, and the owner repeats it'(world) {
    let attempts = 0;
    world.owner.store.faults.onAttempt = () => {
      attempts += 1;
      return attempts === 1 ? 'unanswered' : 'arrives';
    };
    expect(await world.send(world.owner)).toMatchObject({ status: 200 });
    expect(attempts).toBe(2);
    world.owner.store.faults.onAttempt = undefined;
  },
  async 'the owner sleeps, another claims, and the append of the sleeper arrives'(world) {
    const held = holdAppend(world);
    const claims = claimsIn(world);
    silence(world);
    const sent = world.send(world.owner);
    await held.begun;
    await claimed(world, claims + 1);
    held.let();
    // It answers nobody with a result.
    expect((await sent)?.status).not.toBe(200);
    speak(world);
  },
  async 'an append arrives just before the claim of another, which was under way'(world) {
    const held = holdAppend(world);
    silence(world);
    const sent = settled(world.send(world.owner));
    await held.begun;
    let claims = 0;
    for (const { store } of world.followers) {
      store.faults.onAttempt = async (): Promise<Fate> => {
        claims += 1;
        if (claims === 1) {
          const before = world.cluster.log.recordsOf(0).length;
          held.let();
          await vi.waitFor(() =>
            expect(world.cluster.log.recordsOf(0).length).toBeGreaterThan(before),
          );
        }
        return 'arrives';
      };
    }
    await sent;
    await vi.waitFor(() => expect(claims).toBeGreaterThan(1), { timeout: 15_000 });
    for (const { store } of world.followers) store.faults.onAttempt = undefined;
    speak(world);
  },
  'who claims ends before the claim is stored': claimerEnds('lost'),
  'who claims ends when the claim is stored, and not answered': claimerEnds('unanswered'),
  async 'a follower ends while it applies, and begins again'(world) {
    const [follower = expect.fail('There is a follower')] = world.followers;
    let ended: Promise<void> | undefined;
    follower.store.faults.onRecord = () => {
      ended ??= new Promise((resolve) => setImmediate(() => resolve(follower.kill())));
    };
    await world.send(world.owner);
    await vi.waitFor(() => expect(ended).toBeDefined());
    await ended;
    await world.cluster.start(follower.name);
  },
};

async function worldOf(key: string): Promise<World> {
  const cluster = openTestCluster();
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name)));
  const { mel, max } = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  return {
    cluster,
    owner,
    followers: nodes.filter((node) => node !== owner),
    mel,
    max,
    key,
    async send(node) {
      const reply = await node
        .ask(mel, {
          method: 'POST',
          path: '/messages',
          params: { type: 'direct', to: [max.id], content: key },
          headers: { 'idempotency-key': key },
        })
        .catch(() => undefined);
      return reply && { status: reply.status, id: Number(reply.body.id) };
    },
  };
}

/** Ends something at a point, and repeats the send as a client does. Returns what is wrong then. */
async function faultsAt(point: Point, key: string): Promise<readonly string[]> {
  const world = await worldOf(key);
  const { cluster, max } = world;
  await point(world);
  await cluster.owner();
  const ids = new Set<number>();
  for (const node of cluster.running()) {
    const reply = await vi.waitFor(
      async () => {
        const answer = await world.send(node);
        if (answer?.status !== 200) throw new Error(`answered with ${answer?.status}`);
        return answer;
      },
      { timeout: 20_000, interval: 50 },
    );
    ids.add(reply.id);
  }
  await caughtUp(cluster);
  const faults: string[] = ids.size === 1 ? [] : [`answered with ${[...ids].join(' and ')}`];
  for (const node of cluster.running()) {
    const range = { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false };
    const { body } = await node.get(max, '/messages', range);
    const found = body.messages.filter(({ content }: { content: string }) => content === key);
    if (found.length !== 1 || !ids.has(found[0].id)) {
      faults.push(`${node.name} has it ${found.length} times`);
    }
  }
  const copies = await copiesOf(cluster);
  if (new Set(copies.values()).size !== 1) faults.push('copies differ');
  return faults;
}

for (const [name, point] of Object.entries(POINTS)) {
  recipe({
    name: `${name} (in memory)`,
    passes: 'a repeat gets one answer at all nodes, the message is there once, copies are equal',
    runs: { few: 1, full: 20 },
    timeoutMs: 900_000,
    async run(runs) {
      const faults: string[] = [];
      const done = await repeated(runs, async (run) => {
        faults.push(...(await faultsAt(point, `key ${run}`)));
      });
      return {
        runs: done,
        figure: [`${faults.length} faults`, ...new Set(faults)].join('; '),
        holds: faults.length === 0,
      };
    },
  });
}
