import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type IrcMessage, readIrcMessages } from '../fixtures/irc.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import type { Setting } from '../suite/context.ts';

// Benchmarks that open a store in their own process, without HTTP, share these helpers.

const FIXTURE = 'test/fixtures/irc-messages.jsonl.gz';
const FILE_MESSAGES_MAX = 250_000;

/**
 * The messages that a store is filled with, over and over: those of the run, or the project's own.
 */
export const storeMessages = ({ messages = FIXTURE }: Setting): Promise<IrcMessage[]> =>
  readIrcMessages(messages, FILE_MESSAGES_MAX);

export interface StoreDirectory {
  /** A folder for a store of this name. */
  readonly folder: (name: string) => string;
  readonly remove: () => void;
}

/** The folder of the stores: a temporary one, or one that is kept for the next run. */
export function storeDirectory(kept: string): StoreDirectory {
  const { path, remove } = kept === '' ? temporaryDirectory() : { path: kept, remove: () => {} };
  return {
    folder: (name) => {
      const folder = join(path, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    remove,
  };
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
