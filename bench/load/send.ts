import { type EncodedLatencies, newLatencies } from '../suite/latencies.ts';
import type { Content, Contents } from './contents.ts';
import { type DeliveryLog, SILENT } from './delivery-log.ts';
import { runSchedule, until } from './schedule.ts';
import { type Speaker, TOPIC, type Voice } from './speaker.ts';

export interface SendPlan extends Voice {
  readonly content: Content;
  /** False where the server does not hand out what it is sent, like the baseline. */
  readonly hasContent: boolean;
  /**
   * A group whose mention stands before each message; its members are the listeners that are
   * marked.
   */
  readonly mention?: string;
}

/** The transport of a send. */
export type Via = 'http' | 'socket';

export interface SendSetting {
  /** Over HTTP it speaks on so many connections, one message at a time on each. */
  readonly openSpeaker: (via: Via, connections: number) => Speaker | Promise<Speaker>;
  readonly deliveryLog: DeliveryLog;
  readonly contents: Contents;
  readonly hasContent: boolean;
  /** If true, each message mentions the listeners that are marked. */
  readonly mentionsMarked: boolean;
  /** Goes on through all runs, so that no two messages of a process are equal. */
  readonly nextIndex: () => number;
}

export interface ClosedLoop {
  readonly inFlight: number;
  readonly seconds: number;
  /** Ends it earlier, once so many are sent. */
  readonly messages?: number;
  /** A slot waits for this before it sends again. */
  readonly until: 'delivered' | 'replied';
  /** HTTP, unless it is said. */
  readonly via?: Via;
}

export interface FixedRate {
  readonly perSecond: number;
  readonly seconds: number;
  readonly via?: Via;
}

export interface LoadResult {
  readonly messageCount: number;
  readonly elapsedSeconds: number;
  /** From when a message was due to its reply, and to the last of its deliveries. */
  readonly reply: EncodedLatencies;
  readonly delivery: EncodedLatencies;
  readonly errors: readonly string[];
}

// How long a run may stand still before what is missing counts as lost.
const STALL_MS_MAX = 20_000;
const ERRORS_MAX = 5;
// At a fixed rate a slow server has several messages under way.
const FIXED_RATE_CONNECTIONS = 64;

/** Keeps messages in flight for the given time, then waits until all are delivered. */
export async function closedLoop(setting: SendSetting, loop: ClosedLoop): Promise<LoadResult> {
  const run = startRun(setting, await setting.openSpeaker(loop.via ?? 'http', loop.inFlight));
  let endMs = run.startMs + loop.seconds * 1000;
  let left = loop.messages ?? Number.POSITIVE_INFINITY;
  const sendNext = () => {
    const nowMs = performance.now();
    if (nowMs >= endMs || !run.isHealthy()) return;
    run.send(nowMs);
    left -= 1;
    if (left <= 0) endMs = nowMs;
  };
  if (loop.until === 'replied') run.onReply = sendNext;
  else run.onDelivered = sendNext;
  for (let slot = 0; slot < loop.inFlight; slot++) sendNext();
  return await run.finished(() => endMs);
}

/** Sends at planned times whether or not replies come, and counts from those times. */
export async function fixedRate(setting: SendSetting, rate: FixedRate): Promise<LoadResult> {
  const speaker = await setting.openSpeaker(rate.via ?? 'http', FIXED_RATE_CONNECTIONS);
  const run = startRun(setting, speaker);
  const count = Math.round(rate.perSecond * rate.seconds);
  await runSchedule({
    dueMs: (index) =>
      index < count && run.isHealthy() ? run.startMs + (index * 1000) / rate.perSecond : undefined,
    act: (_index, dueMs) => run.send(dueMs),
    isPrecise: true,
  });
  return await run.finished(() => run.startMs);
}

interface Run {
  readonly startMs: number;
  readonly send: (dueMs: number) => void;
  readonly isHealthy: () => boolean;
  /** Settles once nothing is under way any more, and not before the given time. */
  readonly finished: (endMs: () => number) => Promise<LoadResult>;
  onReply: () => void;
  onDelivered: () => void;
}

function startRun(setting: SendSetting, speaker: Speaker): Run {
  const { deliveryLog, contents, hasContent, mentionsMarked, nextIndex } = setting;
  const startMs = performance.now();
  const replies = newLatencies();
  const deliveries = newLatencies();
  const errors: string[] = [];
  let messageCount = 0;
  let pendingCount = 0;
  let lastChangeMs = startMs;

  const run: Run = {
    startMs,
    onReply: () => {},
    onDelivered: () => {},
    isHealthy: () => errors.length < ERRORS_MAX,
    send: (dueMs) => {
      const index = nextIndex();
      const { html, ...said } = contents(index);
      pendingCount += 1;
      speaker.say(said, (answer) => {
        pendingCount -= 1;
        lastChangeMs = performance.now();
        if (typeof answer === 'number') {
          messageCount += 1;
          replies.record(lastChangeMs - dueMs);
          deliveryLog.acknowledge(answer, {
            index,
            plannedMs: dueMs,
            ...said,
            content: hasContent ? said.content : undefined,
            topic: TOPIC,
            mentionsMarked,
            ...(html === undefined ? {} : { html }),
          });
        } else {
          errors.push(answer);
        }
        run.onReply();
      });
    },
    finished: async (endMs) => {
      const isDone = () => pendingCount === 0 && deliveryLog.openCount() === 0;
      const isStalled = () => performance.now() > lastChangeMs + STALL_MS_MAX;
      await until(() => performance.now() >= endMs() && (isDone() || isStalled()));
      if (!isDone())
        errors.push(`${deliveryLog.openCount()} messages did not reach every listener`);
      speaker.close();
      deliveryLog.on = SILENT;
      return {
        messageCount,
        elapsedSeconds: (lastChangeMs - startMs) / 1000,
        reply: replies.encoded(),
        delivery: deliveries.encoded(),
        errors,
      };
    },
  };
  deliveryLog.on = {
    latency: () => {},
    complete: ({ sending, lastDeliveryMs }) => {
      lastChangeMs = performance.now();
      deliveries.record(lastDeliveryMs - (sending?.plannedMs ?? lastDeliveryMs));
      run.onDelivered();
    },
  };
  return run;
}
