import { recordOwnerChange } from '../../metrics/recorders.ts';
import { type CountedLog, countedLog } from '../log/counted-log.ts';
import { openAnswering } from '../nodes/answering.ts';
import { mayLetGo } from '../nodes/asking.ts';
import { openTaking } from '../nodes/consumers.ts';
import type { Members } from '../nodes/members.ts';
import { holdsOf, noteHolds } from '../nodes/node-file.ts';
import { presentNodes } from '../nodes/present.ts';
import { shardOf } from '../placement.ts';
import { realmIdsIn } from '../realm-folders.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import type { HeldShard } from '../shards/declaration.ts';
import { openHeldShard } from '../shards/held-shard.ts';
import { serveTasks } from '../shards/owner-tasks.ts';
import { openPlacing, type Placing } from '../shards/placing.ts';
import { openSlots, type Slots } from '../shards/slots.ts';
import { whyNotUpgraded } from '../versions/upgrading.ts';
import { upgradingOf } from './comparing.ts';
import { areOthersThere } from './giving.ts';
import { isDrained, type Joined } from './joined.ts';

export async function slotsOf(
  joined: Joined,
  members: Members,
  realms: ClusterRealms,
): Promise<Slots> {
  const { input, name, founding } = joined;
  const logs: CountedLog[] = [];
  for (let number = 0; number < founding.shards; number++) {
    logs.push(
      countedLog(await input.store.openLog(number), (ms) =>
        input.clusterRecord.appendMs.record(ms),
      ),
    );
  }
  const mayOwn = (number: number) =>
    joined.answers !== null &&
    !joined.isLeaving &&
    joined.slots?.isWhole(number) === true &&
    (!isDrained(joined) || !areOthersThere(joined, members, number));
  return openSlots({
    logs,
    former: formerIn(input.path, founding.shards),
    open: (log, number, onFailed) =>
      openHeldShard({
        number,
        node: name,
        log,
        realms: realms.ofShard(number),
        marks: joined.marks,
        schemas: joined.schemas,
        isOlderAlive: () => isOlderAlive(joined, members),
        silenceMs: input.cluster.silenceMs,
        line: () => lineOf(joined, members, number),
        reachedSince: members.reachedSince,
        mayOwn: () => mayOwn(number),
        retryAfterMs: () => joined.retryAfterMs(),
        onOwned(held, change) {
          recordOwnerChange(input.clusterRecord, change);
          return answerFor(joined, realms, { held, members });
        },
        onFailed: (_, error) => onFailed(error),
      }),
    onFatal: input.onFatal,
    onHolds: (holds) => noteHolds(input.path, holds),
    beforeDrop: realms.beforeDrop,
    drop: realms.drop,
  });
}

/** A node that has just started, or was cut off, has not heard yet who lives. */
function isOlderAlive({ input, schemas }: Joined, members: Members): boolean {
  const since = members.reachedSince();
  if (since === null || performance.now() - since < input.cluster.silenceMs) return true;
  return members.beats().some(({ schema = 0, isLeaving }) => schema < schemas.newest && !isLeaving);
}

/** Returns the nodes that may claim a shard, as they have a copy, the first in line first. */
function lineOf({ placing }: Joined, members: Members, number: number): readonly string[] {
  const nodes = members.holdersOf(number).flatMap(({ node, isLeaving }) => (isLeaving ? [] : node));
  return placing?.line(number, nodes) ?? nodes;
}

export function placingOf(joined: Joined, members: Members, realms: ClusterRealms): Placing {
  const { input, name, directory, slots } = joined;
  if (slots === null) throw new Error('the node has no shards yet');
  const { cluster, store } = input;
  return openPlacing({
    node: name,
    slots,
    // Without objects that nodes share, files are in the folder of a node, which stays.
    copies: input.objects === undefined ? Number.POSITIVE_INFINITY : cluster.copies,
    present: () =>
      presentNodes({
        node: name,
        isDrained: directory.isDrained,
        known: directory.nodes(),
        members,
        absenceMs: cluster.absenceMs,
      }),
    pinOf: directory.pinOf,
    holdersOf: members.holdersOf,
    mayJudge: () =>
      joined.answers !== null && !joined.isStopping && members.reachedSince() !== null,
    askToLetGo: (shard) => mayLetGo(store.bus, { shard, node: name }, LET_GO_MS_MAX),
    onLook: () => void realms.tellNames().catch(() => undefined),
    onCopy(shard, change) {
      input.onCopy(shard, change);
      members.beat();
    },
    onFailed: input.onNoCopy,
  });
}

/**
 * Joins what the node held before, and what it should hold and need not copy. A node that has to
 * hold everything joins all of it before it serves.
 */
export async function holdAtStart(joined: Joined) {
  const { input, directory, slots, placing, name } = joined;
  if (slots === null || placing === null) return;
  const { cluster, objects, path } = input;
  const nodes = new Set([...directory.nodes(), name]);
  const isAll = objects === undefined || (cluster.copies >= nodes.size && !isDrained(joined));
  const held = new Set(formerIn(path, slots.count));
  const begun: Promise<void>[] = [];
  for (let number = 0; number < slots.count; number++) {
    const isHeld =
      isAll ||
      held.has(number) ||
      (placing.wanted(number).includes(name) && (await slots.isEmpty(number)));
    if (isHeld) begun.push(slots.begin(number, { isKept: true }));
  }
  await Promise.all(begun);
}

/** Returns the shards of which a directory has whole copies. */
const formerIn = (path: string, shards: number): readonly number[] =>
  holdsOf(path) ?? realmIdsIn(path).map((realmId) => shardOf(realmId, shards));

/** Answers for a shard from now on. Returns what ends that. */
function answerFor(
  joined: Joined,
  realms: ClusterRealms,
  { held, members }: { readonly held: HeldShard; readonly members: Members },
): () => void {
  const { input, answers, numbers, placing } = joined;
  if (answers === null) throw new Error('the node owns a shard before it can answer');
  const { bus } = input.store;
  const realm = (id: number) => {
    const found = realms.held(id)?.written()?.current();
    return found?.isOpen() ? found : undefined;
  };
  const ends = [
    openAnswering({
      bus,
      shard: held.number,
      ...answers,
      isWritten(host) {
        const { realm: named } = realms.at(host);
        return named !== undefined && held.isOwned() && realms.isWritten(named);
      },
      realm,
      sequence: held.sequence,
      // The copy of another may be the only one of a realm that this node lacks.
      mayLetGo: (node) =>
        !realms.lacksSome(held.number) && placing?.mayLetGo(held.number, node) === true,
    }),
    openTaking({ bus, numbers, shard: held.number, realm }),
    serveTasks({
      bus,
      node: input.cluster.node,
      held,
      known: () => members.known(held.number),
      whyNotUpgraded: (schema) => whyNotUpgraded(upgradingOf(joined, members), schema),
    }),
  ];
  const change = { shard: held.number, epoch: held.epoch() };
  input.onShard({ ...change, isOwned: true });
  setImmediate(() => {
    members.beat();
    // An owner sees to what deleted realms have left.
    void joined.upkeep?.look();
  });
  return () => {
    input.onShard({ ...change, isOwned: false });
    for (const end of ends) end();
  };
}

/** An owner is asked for so long whether a copy may go; the next look asks again. */
const LET_GO_MS_MAX = 2_000;
