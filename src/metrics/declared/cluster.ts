import { type Declaration, gauge, histogram, labelled } from '../declaration.ts';
import { OWNER_CHANGES, SHARD_STATES } from '../labels.ts';

/** Returns a metric that a server shows only if it is a node of a cluster. */
const onNodes = (declared: Declaration): Declaration => ({
  ...declared,
  read: (sources) => (sources.state.cluster === null ? [] : declared.read(sources)),
});

const METRICS: readonly Declaration[] = [
  gauge(
    {
      name: 'confab_cluster_nodes',
      help: 'Nodes of the cluster that this node hears, and itself.',
      row: 'cluster',
    },
    ({ state: { cluster } }) => cluster?.nodes ?? null,
  ),
  gauge(
    {
      name: 'confab_cluster_reached',
      help: '1 while this node hears what it says itself by way of the NATS servers, 0 while it is cut off.',
      row: 'cluster',
    },
    ({ state: { cluster } }) => (cluster?.isReached ? 1 : 0),
  ),
  labelled(
    'gauge',
    {
      name: 'confab_cluster_shards',
      help: 'Shards that this node holds, by what it does with them; changing: between two owners.',
      row: 'cluster',
    },
    ['state', SHARD_STATES],
    ({ state: { cluster } }) => cluster?.shards ?? {},
  ),
  gauge(
    {
      name: 'confab_cluster_shards_without_owner',
      help: 'Shards that no node was heard to own.',
      row: 'cluster',
    },
    ({ state: { cluster } }) => cluster?.shardsWithoutOwner ?? null,
  ),
  gauge(
    {
      name: 'confab_cluster_lag_records',
      help: 'Records of the log that this node has not applied yet, in the shard that is furthest behind.',
      row: 'cluster',
    },
    ({ state: { cluster } }) => cluster?.lagRecords ?? null,
  ),
  gauge(
    {
      name: 'confab_cluster_lag_seconds',
      help: 'How long the oldest record has been waited for that an owner has spoken of.',
      row: 'cluster',
    },
    ({ state: { cluster } }) => (cluster?.lagMs ?? 0) / 1_000,
  ),
  labelled(
    'counter',
    {
      name: 'confab_cluster_shards_owned_total',
      help: 'Shards that came to this node: the first claim, from an owner that fell silent, or by a move.',
      row: 'cluster',
    },
    ['kind', OWNER_CHANGES],
    ({ recorders }) => recorders.cluster.owned,
  ),
  histogram(
    {
      name: 'confab_cluster_without_owner_duration_seconds',
      help: 'How long nobody had written a shard that came to this node from another owner.',
      row: 'cluster',
    },
    ({ cluster }) => cluster.unownedMs,
  ),
  histogram(
    {
      name: 'confab_cluster_append_duration_seconds',
      help: 'Time of an append to the log, until its servers have answered.',
      row: 'cluster',
    },
    ({ cluster }) => cluster.appendMs,
  ),
  labelled(
    'gauge',
    {
      name: 'confab_cluster_storage',
      help: 'The shared storage of files, as the last request of this node found it: 1 for what holds.',
      row: 'cluster',
    },
    ['state', ['there', 'away']],
    ({ state: { cluster } }) => (cluster?.isStorageAway ? { away: 1 } : { there: 1 }),
  ),
];

export const CLUSTER = METRICS.map(onNodes);
