import { expect, test } from 'vitest';
import { openAdditions, openSum } from '../../src/gateways/counts/counts.ts';
import { openServerRecorders } from '../../src/monitoring.ts';

const LOOKS_AT = ['http', 'sockets', 'realms', 'limits', 'bugs'] as const;

const numbersOf = (recorders: ReturnType<typeof openServerRecorders>) =>
  JSON.parse(JSON.stringify(Object.fromEntries(LOOKS_AT.map((name) => [name, recorders[name]]))));

test('what gateways count is in the counts of the server, once', () => {
  const server = openServerRecorders();
  const sum = openSum(server);
  const expected = openServerRecorders();
  for (const share of [1, 2]) {
    const gateway = openServerRecorders();
    const additions = openAdditions(gateway);
    const counts = sum();
    for (let time = 0; time < 3; time++) {
      for (const recorders of [gateway, expected]) {
        const begun = recorders.http.begin();
        recorders.http.end(5, begun, 1);
        recorders.realms.deliveryMs.record(0.5);
        recorders.realms.socketDeliveries += share;
        recorders.sockets.opened += 1;
        recorders.limits.send += time;
      }
      counts.add(additions());
    }
    expect(additions()).toEqual([]);
  }
  const now = numbersOf(server);
  const wanted = numbersOf(expected);
  // Times differ from run to run.
  delete now.http.groups;
  delete wanted.http.groups;
  delete now.http.histograms;
  delete wanted.http.histograms;
  expect(now).toEqual(wanted);
  const read = Object.values(server.http.groups).reduce((all, { count }) => all + count, 0);
  expect(read).toBe(6);
});

test('what was open at a gateway that is gone is open no more', () => {
  const server = openServerRecorders();
  const gateway = openServerRecorders();
  const additions = openAdditions(gateway);
  const counts = openSum(server)();
  gateway.http.begin();
  gateway.http.begin();
  gateway.http.park();
  gateway.sockets.opened += 5;
  gateway.sockets.closed['4003'] += 2;
  counts.add(additions());
  expect(server.http.inFlight).toBe(1);
  expect(server.http.pollsParked).toBe(1);
  counts.gone();
  expect(server.http.inFlight).toBe(0);
  expect(server.http.pollsParked).toBe(0);
  expect(server.sockets.opened).toBe(5);
  expect(server.sockets.closed).toMatchObject({ '4003': 2, gone: 3 });
});
