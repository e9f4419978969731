import type { ClusterSettings } from '../settings/cluster.ts';
import type { ClusterStore } from './log/cluster-store.ts';

export { openNode } from './node.ts';

/** Connects to the servers of the log. */
export function openClusterStore(cluster: ClusterSettings): Promise<ClusterStore> {
  throw new Error(`there is no log at ${cluster.servers.join()} yet`);
}
