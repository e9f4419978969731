import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { filesOver } from '../../storage/files/open-file-store.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ConfigError } from '../settings/reading.ts';
import { foundingOf } from './founding.ts';
import type { SharedValues } from './log/bus.ts';
import type { ClusterStore } from './log/cluster-store.ts';
import { BEATS, type Beat, packed, unpacked } from './nodes/frames.ts';
import { nodeOf } from './nodes/node-file.ts';
import { realmIdsIn, realmsFolder } from './realm-folders.ts';
import { type Entry, entryKey, readEntry } from './realms/registry.ts';
import { adoptDirectory } from './snapshots/adopting.ts';
import { leaveCluster } from './snapshots/leaving.ts';
import { SnapshotError } from './snapshots/manifest.ts';
import { type Chosen, chooseNodes, hearOffers, type Offer } from './snapshots/offers.ts';
import { offerOf, type RebuildInput, rebuildLogs } from './snapshots/rebuilding.ts';
import type { Snapshots } from './snapshots/snapshot.ts';
import { openSnapshots } from './snapshots/snapshots.ts';

export interface OperatingInput {
  /** The data directory, which is locked by this process. */
  readonly data: string;
  readonly node: string;
  /** The number of shards of a cluster that is founded by this. */
  readonly shards: number;
  readonly store: ClusterStore;
  readonly objects: ObjectStore | undefined;
  readonly now: () => number;
  /** The node that the operator has named to begin lost logs over. */
  readonly from?: string | undefined;
  /** How long other nodes are waited for that have copies of lost logs. */
  readonly waitMs: number;
  readonly onNotice: (text: string) => void;
}

/** The commands that change the directory of a server or node which does not run. */
export type OperatingName = 'cluster adopt' | 'cluster leave' | 'cluster rebuild-log';

/** A node that lives says so five times in this time. */
const LISTEN_MS = 1_000;

/** Runs a command. Rejects with `SnapshotError` or `ConfigError` for what can be mended. */
export async function operate(
  name: OperatingName,
  input: OperatingInput,
): Promise<readonly object[]> {
  const { data, node, store, now } = input;
  const { objects } = input;
  if (objects === undefined) {
    throw new ConfigError(`confab ${name} needs CONFAB_FILES, which all nodes share`);
  }
  const known = nodeOf(data);
  if (name === 'cluster adopt') refuseNode(data, known);
  else requireNode(data, known, node);
  await refuseRunning(store);
  const { id, shards } = await foundingOf(store.values, input.shards);
  const snapshots = openSnapshots({ objects, cluster: id, node, now });
  const shared = { data, shards, openFiles: filesOver(objects), snapshots, openLog: store.openLog };
  if (name === 'cluster adopt') return await adoptDirectory({ ...shared, values: store.values });
  if (name === 'cluster leave') {
    await refuseWithoutCopies(shared, store.values, allOf(shards));
    return await leaveCluster(shared);
  }
  return await rebuild(shared, input);
}

async function rebuild(
  shared: Copies & Pick<RebuildInput, 'openLog'>,
  { data, node, store, now, from, waitMs, onNotice }: OperatingInput,
) {
  const own = await offerOf(data, node, shared.shards);
  const onHeard = ({ node: other, shards }: Offer) =>
    onNotice(`${other} answers, with ${shards.length} shards`);
  // The operator has named this node: the others are not asked.
  const heard = await hearOffers({
    bus: store.bus,
    own,
    waitMs: from === node ? 0 : waitMs,
    onHeard,
  });
  try {
    const chosen = chooseNodes(heard.offers, from);
    for (const [shard, one] of chosen) onNotice(chosenText(shard, one));
    const ofOthers = (shard: number) => (chosen.get(shard)?.node ?? node) !== node;
    const left = (await notBegun(shared)).filter((shard) => !ofOthers(shard));
    await refuseWithoutCopies(shared, store.values, left);
    const chosenFor = (shard: number) => chosen.get(shard)?.node ?? node;
    const rebuilt = await rebuildLogs({ ...shared, node, now, chosenFor });
    // The numbers may be lost with the logs, and without them no node takes a realm.
    for (const { realms, node: begunBy } of rebuilt) {
      for (const realm of begunBy === node ? realms : []) {
        await store.values.putNew(entryKey(realm), packed({ is: 'there' } satisfies Entry));
      }
    }
    return rebuilt.map(({ shard, realms, node: begunBy, place }) => {
      return { shard, realms, epoch: place.epoch, begun_by: begunBy };
    });
  } finally {
    heard.end();
  }
}

function chosenText(shard: number, { node, sequence, others }: Chosen): string {
  const rest = others.map((other) => `${other.node} has ${other.sequence}`);
  const said = [`${node} has record ${sequence}`, ...rest].join(', ');
  return `shard ${shard}: ${said}; its log begins over ${node}`;
}

function refuseNode(data: string, known: string | undefined) {
  if (known === undefined) return;
  throw new SnapshotError(`${data} is that of node ${known}: its realms are the cluster's already`);
}

function requireNode(data: string, known: string | undefined, node: string) {
  if (known === undefined || !existsSync(realmsFolder(data))) {
    throw new SnapshotError(`${data} is not the directory of a node`);
  }
  if (known !== node) {
    throw new ConfigError(`${data} is that of node ${known}: CONFAB_NODE says ${node}`);
  }
}

interface Copies {
  readonly data: string;
  readonly shards: number;
  readonly snapshots: Snapshots;
}

const allOf = (shards: number) => Array.from({ length: shards }, (_, shard) => shard);

/** Returns the shards whose logs still have to be begun, or were never lost. */
async function notBegun({ shards, openLog }: Copies & Pick<ClusterStore, 'openLog'>) {
  const left: number[] = [];
  for (const shard of allOf(shards)) {
    if ((await (await openLog(shard)).last()) !== 1) left.push(shard);
  }
  return left;
}

/** A realm that a node lacks would not be in the server that it becomes, nor in its new logs. */
async function refuseWithoutCopies(
  { data, snapshots }: Copies,
  values: SharedValues,
  shards: readonly number[],
) {
  const own = new Set(realmIdsIn(data));
  const lacking: number[] = [];
  for (const shard of shards) {
    for (const id of await snapshots.realms(shard)) {
      if (own.has(id) || (await readEntry(values, id))?.is !== 'there') continue;
      lacking.push(id);
    }
  }
  if (lacking.length === 0) return;
  throw new SnapshotError(
    `${data} has no copy of ${lacking.length === 1 ? 'realm' : 'realms'} ${lacking.join(', ')}: let one node hold all realms first, with CONFAB_COPIES`,
  );
}

/** Nodes that run would not know of what changes here. */
async function refuseRunning({ bus }: ClusterStore) {
  const heard = new Set<string>();
  const unsubscribe = bus.subscribe(BEATS, (body) => void heard.add(unpacked<Beat>(body).node));
  await pause(LISTEN_MS);
  unsubscribe();
  if (heard.size === 0) return;
  const names = [...heard].sort().join(', ');
  throw new SnapshotError(`${names} of the cluster still runs: stop all nodes first`);
}
