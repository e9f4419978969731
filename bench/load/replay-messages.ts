import { type LatencySummary, newLatencies, summaryOf } from '../suite/latencies.ts';
import type { Credentials } from './api.ts';
import { type DeliveryLog, SILENT } from './delivery-log.ts';
import { type HttpPool, openPool } from './http.ts';
import { insist } from './insist.ts';
import { runSchedule, until } from './schedule.ts';
import type { Address } from './stream.ts';

export interface ReplayMessage {
  /** From the start of the replay. */
  readonly dueMs: number;
  readonly sender: Credentials & { readonly user_id: number };
  readonly channel: string;
  readonly topic: string;
  readonly content: string;
  readonly mentionedUserId?: number;
  readonly idempotencyKey: string;
}

export interface ReplayProgress {
  readonly acknowledged: number;
  readonly delivered: number;
}

export interface ReplayResult extends ReplayProgress {
  readonly elapsedSeconds: number;
  /** Requests that had to be sent again. */
  readonly retried: number;
  readonly refusals: readonly string[];
  /** Messages that got a smaller id than an earlier one of the same sender. */
  readonly senderOrderBroken: number;
  readonly reply: LatencySummary;
  readonly delivery: LatencySummary;
}

// People who talk at the same time. One person's messages wait for each other, as a client's do.
const CONNECTIONS = 64;
// A server that is killed is back within seconds; after this nothing is to be expected any more.
const STALL_MS_MAX = 60_000;
const PROGRESS_EVERY_MS = 100;

interface Replay {
  readonly address: Address;
  readonly pool: HttpPool;
  acknowledged: number;
  delivered: number;
  retried: number;
  senderOrderBroken: number;
  lastChangeMs: number;
  readonly refusals: string[];
}

/** Sends each message as its sender until it is acknowledged, through restarts of the server. */
export async function replayMessages(
  { address, deliveryLog }: { readonly address: Address; readonly deliveryLog: DeliveryLog },
  messages: readonly ReplayMessage[],
  onProgress: (progress: ReplayProgress) => void,
): Promise<ReplayResult> {
  const startMs = performance.now();
  const replay = startReplay(address, startMs);
  const replies = newLatencies();
  const deliveries = newLatencies();
  const { acknowledge, settledCount } = acknowledgements(replay, deliveryLog);
  deliveryLog.on = {
    ...SILENT,
    latency: (milliseconds) => {
      replay.delivered += 1;
      replay.lastChangeMs = performance.now();
      deliveries.record(milliseconds);
    },
  };
  const progress = setInterval(() => onProgress(replay), PROGRESS_EVERY_MS);
  const isStalled = () => performance.now() > replay.lastChangeMs + STALL_MS_MAX;
  const chains = new Map<number, Promise<void>>();
  await runSchedule({
    isPrecise: false,
    dueMs: (index) => {
      const message = messages[index];
      return message && !isStalled() ? startMs + message.dueMs : undefined;
    },
    act: (index, plannedMs) => {
      const message = messages[index];
      if (message === undefined) return;
      const before = chains.get(message.sender.user_id) ?? Promise.resolve();
      const sent = before.then(async () => {
        const messageId = await send(replay, message);
        replies.record(performance.now() - plannedMs);
        acknowledge(messageId, message, { index, plannedMs });
      });
      chains.set(message.sender.user_id, sent);
    },
  });
  const isDone = () => settledCount() === messages.length && deliveryLog.openCount() === 0;
  await until(() => isDone() || isStalled());
  clearInterval(progress);
  replay.pool.close();
  return {
    acknowledged: replay.acknowledged,
    delivered: replay.delivered,
    elapsedSeconds: (replay.lastChangeMs - startMs) / 1000,
    retried: replay.retried,
    refusals: replay.refusals,
    senderOrderBroken: replay.senderOrderBroken,
    reply: summaryOf(replies.encoded()),
    delivery: summaryOf(deliveries.encoded()),
  };
}

function startReplay(address: Address, startMs: number): Replay {
  return {
    address,
    pool: openPool(address, CONNECTIONS),
    acknowledged: 0,
    delivered: 0,
    retried: 0,
    senderOrderBroken: 0,
    lastChangeMs: startMs,
    refusals: [],
  };
}

function acknowledgements(replay: Replay, deliveryLog: DeliveryLog) {
  const lastIdOfSender = new Map<number, number>();
  let settled = 0;
  return {
    settledCount: () => settled,
    acknowledge: (
      messageId: number | undefined,
      message: ReplayMessage,
      when: { readonly index: number; readonly plannedMs: number },
    ) => {
      settled += 1;
      replay.lastChangeMs = performance.now();
      if (messageId === undefined) return;
      replay.acknowledged += 1;
      const { sender, content, topic, mentionedUserId } = message;
      if (messageId <= (lastIdOfSender.get(sender.user_id) ?? 0)) replay.senderOrderBroken += 1;
      lastIdOfSender.set(sender.user_id, messageId);
      deliveryLog.acknowledge(messageId, {
        ...when,
        content,
        topic,
        senderId: sender.user_id,
        ...(mentionedUserId === undefined ? {} : { mentionedUserId }),
      });
    },
  };
}

/** The id of the message, or undefined when the server refuses it. */
async function send(replay: Replay, message: ReplayMessage): Promise<number | undefined> {
  const { messageId, refusal, retries } = await insist(replay, message);
  replay.retried += retries;
  if (refusal !== undefined) replay.refusals.push(refusal);
  return messageId;
}
