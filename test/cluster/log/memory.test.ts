import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { describeClusterStore } from '../../support/cluster/log/log-contract.ts';

const cluster = openMemoryCluster();

describeClusterStore(async (name) => cluster.openNode(name));
