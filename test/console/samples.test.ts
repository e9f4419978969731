import { expect, onTestFinished, test } from 'vitest';
import { openSamples } from '../../src/console/samples.ts';
import { type Reading, SERIES } from '../../src/console/series.ts';
import type { Sample } from '../../src/console/wire.ts';
import { SAMPLES_KEPT } from '../../src/domain/limits/operator.ts';
import { ALERTS } from '../../src/metrics/documents/alerts.ts';
import { openServerRecorders } from '../../src/monitoring.ts';

const STATE: Reading['state'] = {
  isReady: true,
  realms: { open: 1, closed: 0, unserved: 0 },
  operationsWaiting: 0,
  queues: { attached: 0, detached: 0 },
  socketsBehind: 0,
  logBytes: 0,
  logOldestAt: null,
  storeBytes: { data: 4_000, free: 96, uploads: 0 },
  oldestReaderMs: 0,
  messagesNotIndexed: 0,
  usersActive: { '1d': 0, '7d': 0, '30d': 0 },
  byRealm: [],
  diskFree: null,
  passwordHashesWaiting: 0,
  lastBackup: { at: null, durationMs: null },
  tlsExpiresAt: null,
  cluster: null,
  now: 0,
};

/** Samples of a server in which nothing happens but what a test does to its recorders. */
function opened() {
  const recorders = openServerRecorders();
  const clock = { now: 1_000_000 };
  const state = { ...STATE };
  const cpu = { seconds: 0 };
  const samples = openSamples({
    now: () => clock.now,
    read: () => ({
      recorders,
      state,
      loopP99Ms: 2,
      cpuSeconds: cpu.seconds,
      rssBytes: 100,
      heapBytes: 50,
    }),
  });
  onTestFinished(samples.close);
  const take = (ms = 1_000) => {
    clock.now += ms;
    samples.take();
  };
  const last = (name: string) => at(samples.all().at(-1), name);
  return { samples, recorders, state, clock, cpu, take, last };
}

const at = (sample: Sample | undefined, name: string) =>
  sample?.[SERIES.findIndex((one) => one.name === name) + 1];

test('a total becomes what was added in a second, however long the second was', () => {
  const { recorders, cpu, take, last } = opened();
  take();
  expect(last('sends')).toBeNull();
  recorders.realms.channelMessages += 30;
  recorders.realms.directMessages += 10;
  cpu.seconds = 0.5;
  take();
  expect(last('sends')).toBe(40);
  expect(last('cpu')).toBe(0.5);
  recorders.realms.channelMessages += 30;
  take(2_000);
  expect(last('sends')).toBe(15);
  take();
  expect(last('sends')).toBe(0);
});

test('a clock that was set back gives no rate, and the next second has one again', () => {
  const { recorders, take, last } = opened();
  take();
  recorders.realms.channelMessages += 5;
  take(-60_000);
  expect(last('sends')).toBeNull();
  recorders.realms.channelMessages += 7;
  take();
  expect(last('sends')).toBe(7);
});

test('a quantile is of the last seconds: after slow commits it comes down again, and then there is none', () => {
  const { recorders, take, last } = opened();
  take();
  expect(last('commit99')).toBeNull();
  for (let count = 0; count < 100; count++) recorders.realms.commitMs.record(500);
  take();
  expect(last('commit99')).toBeGreaterThanOrEqual(0.5);
  expect(last('commit99')).toBeLessThan(0.65);
  for (let second = 0; second < 25; second++) {
    for (let count = 0; count < 100; count++) recorders.realms.commitMs.record(1);
    take();
  }
  expect(last('commit99')).toBeLessThan(0.002);
  for (let second = 0; second < 60; second++) take();
  expect(last('commit99')).toBeNull();
});

test('the quantile of answers leaves polls out, which wait for events', () => {
  const { recorders, take, last } = opened();
  recorders.http.groups.poll.record(60_000);
  recorders.http.groups.read.record(4);
  take();
  expect(last('answer99')).toBeLessThan(0.01);
});

test('what is not known is null, and what is known is there', () => {
  const { state, take, last } = opened();
  take();
  expect(last('diskFree')).toBeNull();
  expect(last('storeBytes')).toBe(4_096);
  Object.assign(state, { diskFree: { bytes: 1_000, share: 0.05 } });
  take();
  expect(last('diskShare')).toBe(0.05);
});

test('the ring keeps the newest samples, the oldest first', () => {
  const { samples, clock, take } = opened();
  for (let count = 0; count < SAMPLES_KEPT + 10; count++) take();
  const all = samples.all();
  expect(all).toHaveLength(SAMPLES_KEPT);
  const times = all.map(([time]) => time);
  expect(times.at(-1)).toBe(clock.now / 1_000);
  expect(times[0]).toBe(clock.now / 1_000 - SAMPLES_KEPT + 1);
  expect(times).toEqual([...times].sort((one, other) => Number(one) - Number(other)));
});

test('those who follow get each further sample until they stop', () => {
  const { samples, take } = opened();
  const got: Sample[] = [];
  const stop = samples.follow((sample) => got.push(sample));
  take();
  take();
  stop();
  take();
  expect(got).toEqual(samples.all().slice(0, 2));
});

test('the bounds of tiles are those of the alert rules', () => {
  const alerted = SERIES.flatMap(({ alert }) => alert ?? []);
  expect(alerted.length).toBeGreaterThan(5);
  for (const { name, isAbove, bound } of alerted) {
    const rule = ALERTS.find((alert) => alert.name === name);
    expect(rule?.expression).toContain(`${isAbove ? '>' : '<'} ${bound}`);
  }
});
