import type { Benchmark } from '../suite/benchmark.ts';
import { imports } from './archives/imports.ts';
import { backup } from './backup.ts';
import { baseline } from './baseline.ts';
import { client } from './client.ts';
import { connect } from './connect.ts';
import { fanOut } from './fan-out.ts';
import { files } from './files.ts';
import { gateways } from './gateways.ts';
import { growth } from './growth.ts';
import { history } from './history.ts';
import { http } from './http.ts';
import { idle } from './idle.ts';
import { manyChannels } from './many-channels.ts';
import { peers } from './peers.ts';
import { pages } from './reading/pages.ts';
import { register } from './register.ts';
import { rendering } from './rendering.ts';
import { search } from './search.ts';
import { send } from './send.ts';
import { stalls } from './stalls.ts';
import { unread } from './unread.ts';

/** All of the suite, in the order in which they run. */
export const BENCHMARKS: readonly Benchmark[] = [
  fanOut,
  manyChannels,
  send,
  connect,
  idle,
  history,
  pages,
  search,
  register,
  http,
  files,
  unread,
  stalls,
  gateways,
  backup,
  growth,
  rendering,
  baseline,
  peers,
  client,
  imports,
  // One a line, so that two who add one do not meet.
];

export function benchmarkCalled(name: string): Benchmark {
  const found = BENCHMARKS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no benchmark ${name}`);
  return found;
}
