import { type AddressInfo, connect, createServer, Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/transport/connections/listen.ts';
import { claimPort, claimSharedPort } from '../../../src/transport/connections/ports.ts';

test('many who connect in the same moment are all let in, though nothing is accepted meanwhile', async () => {
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: null }, () => {});
  // These are three times as many as the library lets wait at one socket.
  const clients = Array.from({ length: 1_500 }, () => connect(listener.port, '127.0.0.1'));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    listener.close();
  });

  let connectedCount = 0;
  for (const client of clients) {
    client.once('connect', () => {
      connectedCount += 1;
    });
  }
  await turns(clients);

  // The kernel asks again for those it dropped only after a second.
  expect(connectedCount).toBe(clients.length);
});

test('a port that was free and is taken in the same moment is not insisted on, where any will do', async () => {
  const refused: number[] = [];
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: null }, (app) => {
    const original = app.listen.bind(app);
    app.listen = ((host: string, port: number, done: (socket: false) => void) => {
      if (refused.length > 0 && port !== refused[0]) return original(host, port, done as never);
      refused.push(port);
      done(false);
      return app;
    }) as typeof app.listen;
  });
  onTestFinished(() => listener.close());
  expect(refused).toHaveLength(1);
  expect(listener.port).not.toBe(refused[0]);
});

/** Lets so many turns pass that every client that has its answer has been told. */
async function turns(clients: readonly Socket[]): Promise<void> {
  for (let turn = 0; turn < clients.length / 10; turn++) await nextTurn();
}

test('a port that the processes of a former run still have is waited for', async () => {
  const former = createServer();
  const port = await new Promise<number>((resolve) => {
    former.listen(0, '127.0.0.1', () => resolve((former.address() as AddressInfo).port));
  });
  let isFree = false;
  const shared = claimSharedPort({ host: '127.0.0.1', port }).then(() => isFree);
  setTimeout(() => {
    isFree = true;
    former.close();
  }, 200);
  expect(await shared).toBe(true);
});

test('a port that another program has is refused in the end', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port));
  });
  await expect(claimSharedPort({ host: '127.0.0.1', port })).rejects.toThrow('the port is in use');
});

test('of servers that start at one port at once, one has it, and its end leaves it to the next', async () => {
  const free = await claimPort({ host: '127.0.0.1', port: 0 });
  const place = { host: '127.0.0.1', port: free.port, tls: null };
  await expect(listen(place, () => {})).rejects.toThrow('the port is in use');
  free.release();
  const starts = await Promise.allSettled([1, 2, 3].map(() => listen(place, () => {})));
  const listeners = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []));
  expect(listeners.map(({ port }) => port)).toEqual([free.port]);
  listeners[0]?.close();
  const next = await listen(place, () => {});
  onTestFinished(() => next.close());
  expect(next.port).toBe(free.port);
});

test('a port that another server has claimed and does not listen on yet is not insisted on, where any will do', async () => {
  const claimed = await claimPort({ host: '127.0.0.1', port: 0 });
  const found = vi.spyOn(Server.prototype, 'address');
  found.mockReturnValueOnce({ address: '127.0.0.1', family: 'IPv4', port: claimed.port });
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: null }, () => {});
  onTestFinished(() => {
    found.mockRestore();
    claimed.release();
    listener.close();
  });
  expect(found.mock.results[0]?.value).toMatchObject({ port: claimed.port });
  expect(listener.port).not.toBe(claimed.port);
});
