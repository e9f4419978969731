import { wholeMicroseconds } from './latency.ts';
import { type Ledger, SILENT } from './ledger.ts';
import { runSchedule, until } from './schedule.ts';
import { type Speaker, TOPIC } from './speaker.ts';

export interface SendSetting {
  /** Speaks over so many connections, one message at a time on each. */
  readonly openSpeaker: (connections: number) => Speaker;
  readonly ledger: Ledger;
  readonly contentLength: number;
  /** False where the server does not hand out what it is sent, like the floor. */
  readonly hasContent: boolean;
  /** Goes on through all runs, so that no two messages of a process are equal. */
  readonly nextIndex: () => number;
}

export interface ClosedLoop {
  readonly inFlight: number;
  readonly seconds: number;
  /** What a slot waits for before it sends again. */
  readonly until: 'delivered' | 'replied';
}

export interface FixedRate {
  readonly perSecond: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly messageCount: number;
  readonly elapsedSeconds: number;
  /** From when a message was due to its reply, and to the last of its deliveries. */
  readonly replyMicroseconds: readonly number[];
  readonly deliveryMicroseconds: readonly number[];
  readonly errors: readonly string[];
}

// How long a run may stand still before what is missing counts as lost.
const STALL_MS_MAX = 20_000;
const ERRORS_MAX = 5;
// At a fixed rate a slow server has several messages under way.
const FIXED_RATE_CONNECTIONS = 16;

/** Keeps messages in flight for the given time, then waits until all are delivered. */
export async function closedLoop(setting: SendSetting, loop: ClosedLoop): Promise<LoadResult> {
  const run = startRun(setting, loop.inFlight);
  const endMs = run.startMs + loop.seconds * 1000;
  const sendNext = () => {
    const nowMs = performance.now();
    if (nowMs < endMs && run.isHealthy()) run.send(nowMs);
  };
  if (loop.until === 'replied') run.onReply = sendNext;
  else run.onDelivered = sendNext;
  for (let slot = 0; slot < loop.inFlight; slot++) sendNext();
  return await run.finished(endMs);
}

/** Sends at planned times whether or not replies come, and counts from those times. */
export async function fixedRate(setting: SendSetting, rate: FixedRate): Promise<LoadResult> {
  const run = startRun(setting, FIXED_RATE_CONNECTIONS);
  const count = Math.round(rate.perSecond * rate.seconds);
  await runSchedule({
    dueMs: (index) => (index < count ? run.startMs + (index * 1000) / rate.perSecond : undefined),
    act: (_index, dueMs) => run.send(dueMs),
    isPrecise: true,
  });
  return await run.finished(run.startMs);
}

interface Run {
  readonly startMs: number;
  readonly send: (dueMs: number) => void;
  readonly isHealthy: () => boolean;
  /** Settles once nothing is under way any more, and not before the given time. */
  readonly finished: (endMs: number) => Promise<LoadResult>;
  onReply: () => void;
  onDelivered: () => void;
}

function startRun(setting: SendSetting, connections: number): Run {
  const { ledger, contentLength, hasContent, nextIndex } = setting;
  const speaker = setting.openSpeaker(connections);
  const startMs = performance.now();
  const replyMicroseconds: number[] = [];
  const deliveryMicroseconds: number[] = [];
  const errors: string[] = [];
  let pendingCount = 0;
  let lastChangeMs = startMs;

  const run: Run = {
    startMs,
    onReply: () => {},
    onDelivered: () => {},
    isHealthy: () => errors.length < ERRORS_MAX,
    send: (dueMs) => {
      const index = nextIndex();
      const content = contentOf(index, contentLength);
      pendingCount += 1;
      speaker.say(content, (answer) => {
        pendingCount -= 1;
        lastChangeMs = performance.now();
        if (typeof answer === 'number') {
          replyMicroseconds.push(wholeMicroseconds(lastChangeMs - dueMs));
          const checked = hasContent ? content : undefined;
          const sending = { index, plannedMs: dueMs, content: checked, topic: TOPIC };
          ledger.acknowledge(answer, sending);
        } else {
          errors.push(answer);
        }
        run.onReply();
      });
    },
    finished: async (endMs) => {
      const isDone = () => pendingCount === 0 && ledger.openCount() === 0;
      const isStalled = () => performance.now() > lastChangeMs + STALL_MS_MAX;
      await until(() => performance.now() >= endMs && (isDone() || isStalled()));
      if (!isDone()) errors.push(`${ledger.openCount()} messages did not reach every listener`);
      speaker.close();
      ledger.on = SILENT;
      const messageCount = replyMicroseconds.length;
      const elapsedSeconds = (lastChangeMs - startMs) / 1000;
      return { messageCount, elapsedSeconds, replyMicroseconds, deliveryMicroseconds, errors };
    },
  };
  ledger.on = {
    latency: () => {},
    complete: ({ sending, lastDeliveryMs }) => {
      lastChangeMs = performance.now();
      const dueMs = sending?.plannedMs ?? lastDeliveryMs;
      deliveryMicroseconds.push(wholeMicroseconds(lastDeliveryMs - dueMs));
      run.onDelivered();
    },
  };
  return run;
}

/** Every message differs, and all have the same length. */
function contentOf(index: number, length: number): string {
  const name = `message ${String(index).padStart(9, '0')}: `;
  return name.padEnd(length, 'the quick brown fox jumps over the lazy dog ').slice(0, length);
}
