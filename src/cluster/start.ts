import type { ClusterSettings } from '../settings/cluster.ts';
import type { ClusterStore } from './log/cluster-store.ts';
import { openNatsCluster } from './log/nats/nats-cluster.ts';

/** Connects to the servers of the log. */
export const openClusterStore = (
  { servers, node, credentialsFile, authoritiesFile, isUnsafe }: ClusterSettings,
  onNotice: (notice: string) => void,
): Promise<ClusterStore> =>
  openNatsCluster({
    servers,
    node,
    isUnsafe,
    onNotice,
    ...(credentialsFile === null ? {} : { credentials: credentialsFile }),
    ...(authoritiesFile === null ? {} : { authorities: authoritiesFile }),
  });
