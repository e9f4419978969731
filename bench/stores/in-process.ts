import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type IrcMessage, readIrcMessages } from '../fixtures/irc.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import type { Setting } from '../suite/context.ts';
import { type EncodedLatencies, newLatencies, summaryOf } from '../suite/latencies.ts';

// Benchmarks that open a store in their own process, without HTTP, share these helpers.

const FIXTURE = 'test/fixtures/irc-messages.jsonl.gz';
const FILE_MESSAGES_MAX = 250_000;

/**
 * The messages that a store is filled with, over and over: those of the run, or the project's own.
 */
export const storeMessages = ({ messages = FIXTURE }: Setting): Promise<IrcMessage[]> =>
  readIrcMessages(messages, FILE_MESSAGES_MAX);

/** A folder for a store of this name: a temporary one, or one that is kept for the next run. */
export function storeFolder(kept: string, name: string): string {
  const folder = join(kept === '' ? temporaryDirectory().path : kept, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The process that measures is the one that is measured. */
export const OWN_PIDS = { server: process.pid, generator: undefined } as const;

export interface Timed<Result> {
  readonly result: Result;
  readonly ms: number;
  /** CPU time of all threads of the process, to which other work on the machine adds nothing. */
  readonly cpuMs: number;
}

export function timed<Result>(act: () => Result): Timed<Result> {
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const result = act();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

interface Times {
  readonly clock: EncodedLatencies;
  readonly cpu: EncodedLatencies;
}

/** Counts what several acts took. */
export function newTimes() {
  const clock = newLatencies();
  const cpu = newLatencies();
  return {
    record: ({ ms, cpuMs }: Timed<unknown>): void => {
      clock.record(ms);
      cpu.record(cpuMs);
    },
    encoded: (): Times => ({ clock: clock.encoded(), cpu: cpu.encoded() }),
  };
}

export const figuresOfTimes = ({ clock, cpu }: Times) => ({
  'CPU p50': summaryOf(cpu).p50Ms,
  'CPU p99': summaryOf(cpu).p99Ms,
  'clock p99': summaryOf(clock).p99Ms,
});

export const latenciesOfTimes = ({ clock, cpu }: Times) => ({
  'on the clock': clock,
  'CPU time': cpu,
});
