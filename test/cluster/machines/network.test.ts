import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Host, isNetworkMissing, openNetwork } from '../../support/cluster/network.ts';
import { openProxy } from '../../support/cluster/proxy.ts';

const hosts = () => {
  const network = openNetwork();
  onTestFinished(() => network.close());
  return { network, a: network.openHost('a'), b: network.openHost('b') };
};

/** Answers what is asked, on a host. */
const SERVER = `
  const net = require('node:net');
  net.createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(7, process.argv[1]);
`;
/** Asks a host, and ends well if it answers within 700 ms. */
const CLIENT = `
  const socket = require('node:net').connect(7, process.argv[1], () => socket.write('?'));
  socket.on('data', () => process.exit(0)).on('error', () => process.exit(1));
  setTimeout(() => process.exit(1), 700);
`;

async function isAnswered(from: Host, to: Host): Promise<boolean> {
  const [code] = await once(from.run(process.execPath, ['-e', CLIENT, to.address]), 'exit');
  return code === 0;
}

test.skipIf(isNetworkMissing)('hosts reach each other until their packets are cut', async () => {
  const { network, a, b } = hosts();
  for (const host of [a, b]) host.run(process.execPath, ['-e', SERVER, host.address]);
  await expect.poll(() => isAnswered(a, b)).toBe(true);
  await expect.poll(() => isAnswered(b, a)).toBe(true);
  expect(await isAnswered(network.here, a)).toBe(true);

  network.cut(a, b);
  expect(await Promise.all([isAnswered(a, b), isAnswered(b, a)])).toEqual([false, false]);
  expect(await isAnswered(network.here, b)).toBe(true);
  network.heal();
  expect(await Promise.all([isAnswered(a, b), isAnswered(b, a)])).toEqual([true, true]);
  network.isolate(a);
  expect(await Promise.all([isAnswered(a, b), isAnswered(network.here, a)])).toEqual([
    false,
    false,
  ]);
  expect(await isAnswered(network.here, b)).toBe(true);
  network.heal();
  expect(await isAnswered(network.here, a)).toBe(true);
});

const isPingMissing = spawnSync('ping', ['-V']).status !== 0;

test.skipIf(isNetworkMissing || isPingMissing)('packets are lost by chance', () => {
  const { network, a, b } = hosts();
  const received = (count: number) => {
    const words = `netns exec ${a.prefix[3]} ping -q -i 0.002 -W 1 -c ${count} ${b.address}`;
    const { stdout } = spawnSync('ip', words.split(' '), { encoding: 'utf8' });
    return Number(/(\d+) received/.exec(stdout)?.[1] ?? Number.NaN);
  };
  network.lose(a, b, 30);
  const some = received(300);
  expect(some).toBeGreaterThan(120);
  expect(some).toBeLessThan(290);
  network.heal();
  expect(received(5)).toBe(5);
  network.cut(b, a);
  expect(received(3)).toBe(0);
});

test.skipIf(isNetworkMissing)('nothing of a network remains after it was closed', async () => {
  const before = spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout.split('\n').length;
  const network = openNetwork();
  const host = network.openHost('a');
  const child = host.run('sleep', ['1000']);
  const ended = once(child, 'exit');
  network.close();
  await ended;
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  expect(stdout).not.toContain(host.prefix[3]);
  const after = spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout.split('\n').length;
  expect(after).toBeLessThanOrEqual(before);
});

test('a proxy delays, holds one direction, and ends connections', async () => {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // an address of a TCP server has a port
  const proxy = await openProxy({ host: '127.0.0.1', port }, '127.0.0.1');
  onTestFinished(() => proxy.close());
  const socket = net.connect(proxy.port, '127.0.0.1').on('error', () => {});
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
  });
  socket.write('a');
  await expect.poll(() => heard).toBe('a');
  proxy.delay(150);
  const since = performance.now();
  socket.write('b');
  await expect.poll(() => heard, { interval: 5 }).toBe('ab');
  expect(performance.now() - since).toBeGreaterThanOrEqual(290);
  proxy.heal();
  proxy.hold('from');
  socket.write('c');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(heard).toBe('ab');
  proxy.heal();
  await expect.poll(() => heard).toBe('abc');
  const closed = once(socket, 'close');
  proxy.reset();
  await closed;
});
