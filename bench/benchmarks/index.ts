import type { Benchmark } from '../suite/benchmark.ts';
import { connect } from './connect.ts';
import { fanOut } from './fan-out.ts';
import { idle } from './idle.ts';
import { peers } from './peers.ts';
import { send } from './send.ts';

/** All of the suite, in the order in which they run. */
export const BENCHMARKS: readonly Benchmark[] = [fanOut, send, connect, idle, peers];

export function benchmarkCalled(name: string): Benchmark {
  const found = BENCHMARKS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no benchmark ${name}`);
  return found;
}
