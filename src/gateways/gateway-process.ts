import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Holder } from '../../actors/realm/holds.ts';
import { type FromGateway, type FromWriter, WRITER } from './link/frames.ts';
import { type FrameStream, openStream } from './link/stream.ts';

/** It lies beside this file among the sources, and in the bundle. */
const PROGRAM = fileURLToPath(new URL('./gateway.js', import.meta.url));

/** A gateway, as the writer has started it. */
export interface GatewayProcess {
  /** No other gateway of this run of the server has the same. */
  readonly number: Holder;
  readonly pid: number | null;
  /** UNIX milliseconds. */
  readonly startedAt: number;
  readonly stream: FrameStream<FromWriter>;
  /** Resolves when it listens; rejects if it ends before. */
  readonly serving: Promise<void>;
  /** Resolves when its clients are dismissed, or it has ended. */
  drained(): Promise<void>;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
}

/** A gateway that is silent for so long takes no turns any more, and is ended. */
const SILENCE_MS_MAX = 60_000;
const LOOK_MS = 5_000;

/** The frames that are not about the process itself. */
export type Taken = Exclude<FromGateway, readonly ['serving' | 'drained' | 'failed', ...unknown[]]>;

/**
 * Starts the same program as this one with another part to play. It ends by itself once the stream
 * ends, however this process does.
 */
export function startGateway(number: Holder, onFrame: (frame: Taken) => void): GatewayProcess {
  // It takes the options of Node along, as the size of the young generation.
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const signals = openSignals(child);
  const stream = openStream<FromWriter, FromGateway>(child.stdio[WRITER] as Socket, {
    onFrame(frame) {
      heardAt = performance.now();
      if (frame[0] === 'serving') signals.onServing();
      else if (frame[0] === 'drained') signals.onDrained();
      else if (frame[0] === 'failed') signals.onFailed(frame[1]);
      else onFrame(frame);
    },
    onEnd: () => undefined,
  });
  let heardAt = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - heardAt < SILENCE_MS_MAX) return;
    signals.onFailed('it took no turn for a minute');
    child.kill('SIGKILL');
  }, LOOK_MS).unref();
  const { serving, drained, ended } = signals;
  void ended.then(() => clearInterval(watch));
  return {
    number,
    pid: child.pid ?? null,
    startedAt: Date.now(),
    stream,
    serving,
    ended,
    drained: () => Promise.race([drained, ended.then(() => undefined)]),
  };
}

function openSignals(child: ChildProcess) {
  let why = '';
  const serving = openPromise<void>();
  const drained = openPromise<void>();
  const ended = openPromise<string>();
  // The caller asks for it; once it has resolved, nobody is left to ask.
  serving.promise.catch(() => undefined);
  child.on('error', (error) => {
    why ||= error.message;
  });
  child.on('close', (code, signal) => {
    why ||= `it ended with ${signal ?? code}`;
    ended.resolve(why);
    serving.reject(new Error(`a gateway did not start: ${why}`));
  });
  return {
    serving: serving.promise,
    drained: drained.promise,
    ended: ended.promise,
    onServing: serving.resolve,
    onDrained: drained.resolve,
    onFailed(message: string) {
      why = message;
    },
  };
}

/** A promise with the functions that settle it. */
function openPromise<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Value>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { promise, resolve, reject };
}
