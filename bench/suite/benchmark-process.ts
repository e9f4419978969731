import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ENDING_SIGNALS } from '../servers/belongings.ts';
import type { Setting } from './context.ts';
import type { Chosen } from './options.ts';
import type { Step } from './recorder.ts';
import type { BenchmarkResult } from './results.ts';

/** The process of a benchmark is sent this, once. */
export interface Order {
  readonly name: string;
  readonly setting: Setting;
  readonly written: Chosen;
}

export type Report = { readonly step: Step } | { readonly result: BenchmarkResult };

/** Runs a benchmark in a process of its own, so that none inherits the heap of another. */
export function runBenchmark(order: Order, onStep: (step: Step) => void): Promise<BenchmarkResult> {
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(order);
  // It ends what it has started; the run goes on to its end once it has.
  const giveUp = () => void child.kill('SIGTERM');
  for (const signal of ENDING_SIGNALS) process.on(signal, giveUp);
  child.once('exit', () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, giveUp);
  });
  return new Promise((resolve, reject) => {
    child.on('message', (report: Report) => {
      if ('step' in report) onStep(report.step);
      else resolve(report.result);
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`${order.name} ended with ${code ?? signal}`)),
    );
  });
}
