import type { Sources } from '../metrics/declaration.ts';
import { ALERTS } from '../metrics/documents/alerts.ts';
import type { Histogram } from '../metrics/histogram.ts';
import { CODES } from '../metrics/labels.ts';
import type { Recorders } from '../metrics/recorders.ts';
import type { Alerted, SeriesSpec } from './wire.ts';

/** Everything that a sample is read from. */
export interface Reading extends Sources {
  readonly loopP99Ms: number;
  /** CPU time of the process so far, in seconds. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** A line of the charts: how much, how much more each second, or how long. */
export type Series = SeriesSpec &
  (
    | { readonly value: (reading: Reading) => number | null }
    | { readonly total: (reading: Reading) => number }
    | {
        readonly times: (recorders: Recorders) => readonly Histogram[];
        /** The share of the latest values that are at most as large as what is shown. */
        readonly quantile: number;
      }
  );

type Said = readonly [
  name: string,
  label: string,
  unit: SeriesSpec['unit'],
  alert?: string | undefined,
];

const spec = ([name, label, unit, alert]: Said): SeriesSpec => ({
  name,
  label,
  unit,
  alert: alert === undefined ? null : alerted(alert),
});

const value = (said: Said, read: (reading: Reading) => number | null): Series => ({
  ...spec(said),
  value: read,
});
const rate = (said: Said, read: (reading: Reading) => number): Series => ({
  ...spec(said),
  total: read,
});
const time = (
  said: readonly [name: string, label: string, alert?: string],
  quantile: number,
  times: (recorders: Recorders) => readonly Histogram[],
): Series => ({ ...spec([said[0], said[1], 'seconds', said[2]]), quantile, times });

/** The bound is the one of the alert rules, where it is written down. */
function alerted(name: string): Alerted {
  const alert = ALERTS.find((one) => one.name === name);
  const [, sign, bound] = / ([<>]) ([\d.]+)$/.exec(alert?.expression ?? '') ?? [];
  if (alert === undefined || bound === undefined) throw new Error(`no bound of ${name}`);
  return { name, isAbove: sign === '>', bound: Number(bound), summary: alert.summary };
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Answers of a class of codes, to all endpoints. */
function answers({ http }: Recorders, code: (typeof CODES)[number]): number {
  let total = 0;
  for (let index = CODES.indexOf(code); index < http.answers.length; index += CODES.length) {
    total += http.answers[index] ?? 0;
  }
  return total;
}

const lanes = ({ outbox }: Recorders) => Object.values(outbox);

function oldestLetter({ recorders, state }: Sources): number {
  const begun = lanes(recorders).map(({ waiting }) => {
    // A map keeps the order in which its entries came.
    const [oldest = state.now] = waiting.values();
    return oldest;
  });
  return Math.max(0, state.now - Math.min(state.now, ...begun)) / 1_000;
}

const timed = ({ http }: Recorders) =>
  Object.entries(http.groups).flatMap(([group, times]) => (group === 'poll' ? [] : [times]));

/** The lines of a sample, in their order. */
export const SERIES: readonly Series[] = [
  rate(
    ['sends', 'Sends', 'per second'],
    ({ recorders: { realms } }) => realms.channelMessages + realms.directMessages,
  ),
  rate(
    ['deliveries', 'Deliveries', 'per second'],
    ({ recorders: { realms } }) => realms.pollDeliveries + realms.socketDeliveries,
  ),
  rate(['requests', 'Requests', 'per second'], ({ recorders }) =>
    CODES.reduce((total, code) => total + answers(recorders, code), 0),
  ),
  rate(['refused', 'Answers 4xx', 'per second'], ({ recorders }) => answers(recorders, '4xx')),
  rate(['failed', 'Answers 5xx', 'per second'], ({ recorders }) => answers(recorders, '5xx')),
  rate(['limited', 'Rate limited', 'per second'], ({ recorders }) => sum(recorders.limits)),
  rate(['events', 'Events', 'per second'], ({ recorders }) => sum(recorders.realms.events)),
  rate(['commits', 'Commits', 'per second'], ({ recorders }) => recorders.realms.commitMs.count),
  time(['commit50', 'Commit p50'], 0.5, ({ realms }) => [realms.commitMs]),
  time(['commit99', 'Commit p99', 'ConfabCommitsSlow'], 0.99, ({ realms }) => [realms.commitMs]),
  time(['answer50', 'Answer p50'], 0.5, timed),
  time(['answer99', 'Answer p99'], 0.99, timed),
  time(['send99', 'Send p99'], 0.99, ({ http }) => [http.groups.send]),
  time(['delivery99', 'Delivery p99', 'ConfabDeliverySlow'], 0.99, ({ realms }) => [
    realms.deliveryMs,
  ]),
  value(
    ['waiting', 'Operations waiting', 'number', 'ConfabOperationsWait'],
    ({ state }) => state.operationsWaiting,
  ),
  value(
    ['loop99', 'Event loop late p99', 'seconds', 'ConfabLoopLate'],
    ({ loopP99Ms }) => loopP99Ms / 1_000,
  ),
  rate(['cpu', 'CPU', 'share'], ({ cpuSeconds }) => cpuSeconds),
  value(['rss', 'Memory', 'bytes'], ({ rssBytes }) => rssBytes),
  value(['heap', 'Heap', 'bytes'], ({ heapBytes }) => heapBytes),
  value(
    ['sockets', 'Sockets', 'number'],
    ({ recorders: { sockets } }) => sockets.opened - sum(sockets.closed),
  ),
  value(['behind', 'Sockets behind', 'number'], ({ state }) => state.socketsBehind),
  value(['polls', 'Polls', 'number'], ({ recorders }) => recorders.http.pollsParked),
  value(['attached', 'Queues attached', 'number'], ({ state }) => state.queues.attached),
  value(['detached', 'Queues detached', 'number'], ({ state }) => state.queues.detached),
  value(['logBytes', 'Event log', 'bytes', 'ConfabLogLarge'], ({ state }) => state.logBytes),
  value(['storeBytes', 'Stores', 'bytes'], ({ state }) => sum(state.storeBytes)),
  value(['diskFree', 'Disk free', 'bytes'], ({ state }) => state.diskFree?.bytes ?? null),
  value(
    ['diskShare', 'Disk free', 'share', 'ConfabDiskShort'],
    ({ state }) => state.diskFree?.share ?? null,
  ),
  value(['outbox', 'Outbox waiting', 'number'], ({ recorders }) =>
    lanes(recorders).reduce((total, { waiting }) => total + waiting.size, 0),
  ),
  value(['outboxOldest', 'Oldest in the outbox', 'seconds', 'ConfabOutboxStuck'], oldestLetter),
];
