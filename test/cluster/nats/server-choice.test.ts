import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import { appendOn } from '../../support/cluster/log/appending.ts';
import { freshShard } from '../../support/cluster/log/records.ts';
import { isNatsMissing, type NatsServers, startNats } from '../../support/cluster/nats-servers.ts';
import { isNetworkMissing, type Network, openNetwork } from '../../support/cluster/network.ts';

const WAIT = { timeout: 60_000, interval: 100 };

describe.skipIf(isNatsMissing || isNetworkMissing)(
  'three NATS servers on hosts of their own',
  () => {
    let network: Network;
    let servers: NatsServers;
    beforeAll(async () => {
      network = openNetwork();
      const places = ['n0', 'n1', 'n2'].map((name) => network.openHost(name));
      servers = await startNats({ places });
    }, 60_000);
    afterAll(async () => {
      await servers?.close();
      network?.close();
    });

    async function openNode() {
      const notices: string[] = [];
      const node = await openNatsCluster({
        servers: servers.urls,
        node: 'a',
        onNotice: (notice) => void notices.push(notice),
      });
      onTestFinished(() => node.close());
      const { server } = await node.standing();
      const number = servers.names.indexOf(server ?? '');
      expect(number).toBeGreaterThanOrEqual(0);
      return {
        node,
        notices,
        number,
        left: `The NATS server ${server} is cut off from the others`,
      };
    }

    test('a node leaves a server that is cut off from the others, and its appends go on', async () => {
      const { node, notices, number, left } = await openNode();
      const listener = await openNode();
      const appending = appendOn(await node.openLog(freshShard()), 0);
      await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(10);
      const heard: string[] = [];
      listener.node.bus.subscribe('test.choice', (body) => void heard.push(String(body)));
      const hosts = network.hosts();
      const cutOff = hosts[number] ?? expect.fail();
      for (const other of hosts) if (other !== cutOff) network.part(cutOff, other);
      onTestFinished(() => network.heal());
      await expect.poll(() => notices.join(), WAIT).toContain(left);
      await expect
        .poll(async () => (await node.standing()).server, WAIT)
        .not.toBe(servers.names[number]);
      const before = appending.acked.length;
      await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(before + 10);
      // The nodes hear each other by way of servers that reach each other.
      await expect
        .poll(() => {
          node.bus.publish('test.choice', Buffer.from('here'));
          return heard.length;
        }, WAIT)
        .toBeGreaterThan(0);
      await appending.stop();
      expect(appending.failure()).toBeUndefined();
    }, 180_000);

    test('a node stays at the only server that is left, and comes back with the others', async () => {
      const { node, notices, number } = await openNode();
      const log = await node.openLog(freshShard());
      const others = [0, 1, 2].filter((each) => each !== number);
      await Promise.all(others.map((each) => servers.end(each, 'SIGKILL')));
      // Longer than a server may be cut off before it is left.
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      expect(notices).toEqual([expect.stringContaining('It cannot be seen')]);
      expect(node.isConnected()).toBe(true);
      await Promise.all(others.map((each) => servers.start(each)));
      const appending = appendOn(log, 0);
      await expect.poll(() => appending.acked.length, WAIT).toBeGreaterThan(10);
      await appending.stop();
    }, 180_000);
  },
);
