import {
  type ClusterFigures,
  type Declaration,
  PER_MS,
  type Series,
  type Sources,
} from '../declaration.ts';
import type { Histogram } from '../histogram.ts';
import { OWNER_CHANGES, SHARD_STATES } from '../labels.ts';

type Said = Pick<Declaration, 'name' | 'help'>;

/** A server that is no node of a cluster shows none of them. */
const NONE: readonly Series[] = [];
const NO_LABELS = {};

const ofNode = ({ state }: Sources): ClusterFigures | null => state.cluster;

const gauge = (said: Said, read: (figures: ClusterFigures) => number): Declaration => ({
  ...said,
  type: 'gauge',
  row: 'cluster',
  labels: NO_LABELS,
  factor: 1,
  read(sources) {
    const figures = ofNode(sources);
    return figures === null ? NONE : [{ labels: NO_LABELS, value: read(figures) }];
  },
});

function labelled(
  type: 'counter' | 'gauge',
  said: Said,
  [label, values]: readonly [label: string, values: readonly string[]],
  read: (sources: Sources, figures: ClusterFigures) => Readonly<Record<string, number>>,
): Declaration {
  const own = values.map((value) => ({ value, labels: { [label]: value } }));
  return {
    ...said,
    type,
    row: 'cluster',
    labels: { [label]: values },
    factor: 1,
    read(sources) {
      const figures = ofNode(sources);
      if (figures === null) return NONE;
      const fields = read(sources, figures);
      return own.map(({ labels, value }) => ({ labels, value: fields[value] ?? 0 }));
    },
  };
}

const histogram = (said: Said, read: (sources: Sources) => Histogram): Declaration => ({
  ...said,
  type: 'histogram',
  row: 'cluster',
  labels: NO_LABELS,
  factor: PER_MS,
  read: (sources) =>
    ofNode(sources) === null ? NONE : [{ labels: NO_LABELS, value: read(sources) }],
});

export const CLUSTER: readonly Declaration[] = [
  gauge(
    {
      name: 'confab_cluster_nodes',
      help: 'Nodes of the cluster that this node hears, and itself.',
    },
    ({ nodes }) => nodes,
  ),
  gauge(
    {
      name: 'confab_cluster_reached',
      help: '1 while this node hears what it says itself by way of the NATS servers, 0 while it is cut off.',
    },
    ({ isReached }) => (isReached ? 1 : 0),
  ),
  labelled(
    'gauge',
    {
      name: 'confab_cluster_shards',
      help: 'Shards that this node holds, by what it does with them; changing: between two owners.',
    },
    ['state', SHARD_STATES],
    (_, { shards }) => shards,
  ),
  gauge(
    {
      name: 'confab_cluster_shards_without_owner',
      help: 'Shards that no node was heard to own.',
    },
    ({ shardsWithoutOwner }) => shardsWithoutOwner,
  ),
  gauge(
    {
      name: 'confab_cluster_lag_records',
      help: 'Records of the log that this node has not applied yet, in the shard that is furthest behind.',
    },
    ({ lagRecords }) => lagRecords,
  ),
  gauge(
    {
      name: 'confab_cluster_lag_seconds',
      help: 'How long the oldest record has been waited for that an owner has spoken of.',
    },
    ({ lagMs }) => lagMs * PER_MS,
  ),
  labelled(
    'counter',
    {
      name: 'confab_cluster_shards_owned_total',
      help: 'Shards that came to this node: the first claim, from an owner that fell silent, or by a move.',
    },
    ['kind', OWNER_CHANGES],
    ({ recorders }) => recorders.cluster.owned,
  ),
  histogram(
    {
      name: 'confab_cluster_without_owner_duration_seconds',
      help: 'How long nobody had written a shard that came to this node from another owner.',
    },
    ({ recorders }) => recorders.cluster.unownedMs,
  ),
  histogram(
    {
      name: 'confab_cluster_append_duration_seconds',
      help: 'Time of an append to the log, until its servers have answered.',
    },
    ({ recorders }) => recorders.cluster.appendMs,
  ),
  labelled(
    'gauge',
    {
      name: 'confab_cluster_storage',
      help: 'The shared storage of files, as the last request of this node found it: 1 for what holds.',
    },
    ['state', ['there', 'away']],
    (_, { isStorageAway }) => ({ there: isStorageAway ? 0 : 1, away: isStorageAway ? 1 : 0 }),
  ),
];
