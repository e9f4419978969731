import type { Credentials } from './api.ts';
import { type DeliveryLog, SILENT } from './delivery-log.ts';
import { openPool } from './http.ts';
import { insist } from './insist.ts';
import { runSchedule, until } from './schedule.ts';
import { TOPIC } from './speaker.ts';
import type { Address } from './stream.ts';

export interface SteadyPlan {
  readonly sender: Credentials;
  readonly channel: string;
  readonly perSecond: number;
}

/** A message that was planned and answered at these times of the clock that all processes share. */
export interface SteadySend {
  readonly index: number;
  readonly content: string;
  readonly messageId: number;
  readonly plannedAtMs: number;
  readonly answeredAtMs: number;
}

export interface SteadySends {
  /** Plans no more, and settles once all are answered. */
  readonly stop: () => Promise<readonly SteadySend[]>;
}

/** Milliseconds of the clock that the processes of one machine share, as fine as their own. */
export const sharedNowMs = (): number => performance.timeOrigin + performance.now();

// As many may wait for a server that is being started again.
const CONNECTIONS = 128;

/** Sends at a rate through whatever becomes of the server, each until it is acknowledged. */
export function startSteadySends(address: Address, plan: SteadyPlan): SteadySends {
  const pool = openPool(address, CONNECTIONS);
  const startMs = performance.now();
  const sends: Promise<SteadySend>[] = [];
  let isStopping = false;
  const runName = `steady-${plan.channel}-${process.pid}-${Date.now()}`;

  const send = async (index: number, dueMs: number): Promise<SteadySend> => {
    const content = `steady ${index} of ${runName}`;
    const outcome = await insist(
      { address, pool },
      { ...plan, topic: TOPIC, content, idempotencyKey: `${runName}-${index}` },
    );
    if (outcome.messageId === undefined) throw new Error(`refused: ${outcome.refusal}`);
    return {
      index,
      content,
      messageId: outcome.messageId,
      plannedAtMs: performance.timeOrigin + dueMs,
      answeredAtMs: sharedNowMs(),
    };
  };
  const running = runSchedule({
    dueMs: (index) => (isStopping ? undefined : startMs + (index * 1000) / plan.perSecond),
    act: (index, dueMs) => sends.push(send(index, dueMs)),
    isPrecise: false,
  });
  return {
    stop: async () => {
      isStopping = true;
      await running;
      const sent = await Promise.all(sends);
      pool.close();
      return sent;
    },
  };
}

/** When all listeners had a message, of those that another process has sent. */
export interface SettledSend {
  readonly index: number;
  readonly deliveredAtMs: number;
}

// A message that is missing for so long counts as lost.
const STALL_MS_MAX = 20_000;

/** Tells the delivery log what another process has sent, and waits until they have it. */
export async function settle(
  deliveryLog: DeliveryLog,
  sends: readonly SteadySend[],
): Promise<readonly SettledSend[]> {
  const settled: SettledSend[] = [];
  deliveryLog.on = {
    ...SILENT,
    complete: ({ sending, lastDeliveryMs }) => {
      const deliveredAtMs = performance.timeOrigin + lastDeliveryMs;
      if (sending !== undefined) settled.push({ index: sending.index, deliveredAtMs });
    },
  };
  for (const { index, content, messageId, plannedAtMs } of sends) {
    const plannedMs = plannedAtMs - performance.timeOrigin;
    deliveryLog.acknowledge(messageId, { index, content, topic: TOPIC, plannedMs });
  }
  const deadlineMs = performance.now() + STALL_MS_MAX;
  await until(() => deliveryLog.openCount() === 0 || performance.now() > deadlineMs);
  deliveryLog.on = SILENT;
  return settled;
}
