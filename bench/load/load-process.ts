import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { belonging } from '../servers/belongings.ts';
import type { AnswerMessage, Commands } from './commands.ts';
import type { ReplayProgress } from './replay-messages.ts';

/** A load generator in a process of its own. */
export interface LoadProcess {
  readonly pid: number;
  readonly ask: <Name extends keyof Commands>(
    name: Name,
    given: Commands[Name][0],
    onProgress?: (progress: ReplayProgress) => void,
  ) => Promise<Commands[Name][1]>;
  readonly stop: () => void;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: ReplayProgress) => void) | undefined;
}

export function startLoadProcess(): LoadProcess {
  const worker = belonging(
    fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  const { pid } = worker;
  if (pid === undefined) throw new Error('the load process did not start');
  const waiting = new Map<number, Waiting>();
  let count = 0;

  worker.on('message', (message: AnswerMessage) => {
    const asked = waiting.get(message.number);
    if ('progress' in message) return asked?.onProgress?.(message.progress);
    waiting.delete(message.number);
    if ('error' in message) asked?.reject(new Error(`load process: ${message.error}`));
    else asked?.resolve(message.answer);
  });
  worker.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the load process ended with ${code ?? signal}`));
    }
    waiting.clear();
  });

  return {
    pid,
    ask: (name, given, onProgress) => {
      const number = count++;
      return new Promise((resolve, reject) => {
        // The worker answers with what `Commands` says for this name.
        const settle = resolve as (answer: unknown) => void;
        waiting.set(number, { resolve: settle, reject, onProgress });
        worker.send({ number, name, given });
      });
    },
    stop: () => worker.disconnect(),
  };
}
