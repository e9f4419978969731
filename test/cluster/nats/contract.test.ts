import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { ClusterStore } from '../../../src/cluster/log/cluster-store.ts';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import { describeClusterStore } from '../../support/cluster/log/log-contract.ts';
import { isNatsMissing, type NatsServers, startNats } from '../../support/cluster/nats-servers.ts';

describe.skipIf(isNatsMissing)('three NATS servers', () => {
  let servers: NatsServers;
  const nodes: ClusterStore[] = [];
  beforeAll(async () => {
    servers = await startNats();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()));
  });
  afterAll(() => servers?.close());

  describeClusterStore(async (name) => {
    const node = await openNatsCluster({ servers: servers.urls, node: name });
    nodes.push(node);
    return node;
  });
});
