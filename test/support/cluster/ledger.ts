import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, openRoaming, type Roaming } from './nodes-of-load.ts';

/** Messages that were acknowledged, by the keys of their requests. */
export interface Ledger {
  /** The ids that the messages were answered with. */
  readonly acked: ReadonlyMap<string, number>;
  /** Messages of which two requests were answered with different ids. */
  readonly contradicted: readonly string[];
  /** Answers that refused a message for good. */
  readonly refused: readonly string[];
  /** Requests that were sent again. */
  again(): number;
  /** How long each message took from its first request to its answer, in milliseconds. */
  readonly tookMs: readonly number[];
  /** The longest time in which no message was acknowledged, in milliseconds. */
  gapMs(): number;
  /** Begins to measure the gap from now on. */
  measureGap(): void;
  /** Sends no more, and resolves once all that were begun are answered. */
  stop(): Promise<void>;
}

export interface Sends extends Caller {
  readonly channel: string;
  readonly topic: string;
  /** How many send at once; each sends its next message once the last one is acknowledged. */
  readonly senders: number;
  /** How long each sender rests after a message. */
  readonly restMs?: number;
  /**
   * Asks two nodes for each message at once, with the same key, as a client does that has given up
   * the first one too early.
   */
  readonly isTwofold?: boolean;
}

/** A node that does not answer for so long is left for another one. */
const ATTEMPT_MS = 3_000;
/** A message that is not acknowledged for so long ends the run: the nodes do not come back. */
const GIVE_UP_MS = 60_000;

/** Returns the key that a message was sent with, as its text has it. */
export const keyIn = (content: string): string | undefined => /\bk:([\w-]+):/.exec(content)?.[1];

/** Sends messages to any of the nodes, each until it is acknowledged, and keeps the ledger. */
export function startSends(sends: Sends): Ledger {
  const run = `${process.pid.toString(36)}-${Date.now().toString(36)}`;
  const acked = new Map<string, number>();
  const contradicted: string[] = [];
  const refused: string[] = [];
  const tookMs: number[] = [];
  let again = 0;
  let sent = 0;
  let lastMs = performance.now();
  let gapMs = 0;
  let isOver = false;

  function acknowledge(key: string, id: number, sinceMs: number): void {
    const now = performance.now();
    gapMs = Math.max(gapMs, now - lastMs);
    lastMs = now;
    tookMs.push(now - sinceMs);
    acked.set(key, id);
  }
  /** Sends a message until it is acknowledged; undefined if it is refused for good. */
  async function send(roaming: Roaming, key: string): Promise<number | undefined> {
    const sinceMs = performance.now();
    const { channel, topic } = sends;
    const content = `k:${key}: a message of some forty characters`;
    for (;;) {
      const reply = await roaming.ask(
        {
          method: 'POST',
          path: '/messages',
          params: { type: 'channel', to: channel, topic, content },
          idempotencyKey: key,
        },
        ATTEMPT_MS,
      );
      if (reply?.status === 200 && typeof reply.body.id === 'number') return reply.body.id;
      if (reply !== undefined) {
        refused.push(JSON.stringify(reply));
        return;
      }
      if (performance.now() - sinceMs > GIVE_UP_MS) {
        throw new Error(`No node has acknowledged ${key} within ${GIVE_UP_MS} ms`);
      }
      again += 1;
      await roaming.move();
    }
  }
  async function sendOne(roamings: readonly Roaming[]): Promise<void> {
    const key = `${run}-${sent++}`;
    const sinceMs = performance.now();
    await Promise.all(
      roamings.map(async (roaming) => {
        const id = await send(roaming, key);
        if (id === undefined) return;
        const known = acked.get(key);
        if (known === undefined) acknowledge(key, id, sinceMs);
        else if (known !== id) contradicted.push(key);
      }),
    );
  }
  const done = Promise.all(
    Array.from({ length: sends.senders }, async (_, number) => {
      const roamings = Array.from({ length: sends.isTwofold ? 2 : 1 }, (__, further) =>
        openRoaming(sends, number + further),
      );
      try {
        while (!isOver) {
          await sendOne(roamings);
          if (sends.restMs !== undefined) await pause(sends.restMs);
        }
      } finally {
        for (const roaming of roamings) roaming.close();
      }
    }),
  );
  // It is thrown when it is stopped.
  done.catch(() => {});
  return {
    acked,
    contradicted,
    refused,
    again: () => again,
    tookMs,
    gapMs: () => Math.max(gapMs, isOver ? 0 : performance.now() - lastMs),
    measureGap() {
      gapMs = 0;
      lastMs = performance.now();
    },
    async stop() {
      isOver = true;
      await done;
    },
  };
}

/** The messages of a ledger, as a node has them stored. */
export interface Stored {
  readonly stored: number;
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  /** Messages that are stored under another id than they were answered with. */
  readonly otherId: readonly string[];
}

const PAGE = 1_000;

/** Reads the topic of a run from one node, and compares it with what was acknowledged. */
export async function compareStored(
  sends: Omit<Sends, 'senders'>,
  acked: ReadonlyMap<string, number>,
): Promise<Stored> {
  const ids = new Map<string, number>();
  const twice: string[] = [];
  const roaming = openRoaming(sends, 0);
  const narrow = JSON.stringify([
    ['channel', sends.channel],
    ['topic', sends.topic],
  ]);
  for (let anchor = 'oldest', isLast = false; !isLast; ) {
    const query = new URLSearchParams({
      anchor,
      num_before: '0',
      num_after: String(PAGE),
      include_anchor: String(anchor === 'oldest'),
      apply_markdown: 'false',
      narrow,
    });
    const reply = await answerOf(roaming, `/messages?${query}`);
    if (reply?.status !== 200) throw new Error(`Messages were not read: ${JSON.stringify(reply)}`);
    const page = reply.body as unknown as MessagePage;
    for (const { id, content } of page.messages) {
      const key = keyIn(content);
      if (key === undefined) continue;
      if (ids.has(key)) twice.push(key);
      ids.set(key, id);
    }
    isLast = page.found_newest || page.messages.length === 0;
    anchor = String(page.messages.at(-1)?.id);
  }
  roaming.close();
  return {
    stored: ids.size,
    lost: [...acked.keys()].filter((key) => !ids.has(key)),
    twice,
    otherId: [...acked].filter(([key, id]) => ids.get(key) !== id).map(([key]) => key),
  };
}

/** Asks until a node answers, which it may not while it changes over. */
async function answerOf(roaming: Roaming, path: string) {
  const until = performance.now() + GIVE_UP_MS;
  for (;;) {
    const reply = await roaming.ask({ method: 'GET', path }, 20_000);
    if (reply !== undefined || performance.now() > until) return reply;
    await roaming.move();
  }
}

interface MessagePage {
  readonly messages: readonly { readonly id: number; readonly content: string }[];
  readonly found_newest: boolean;
}
