import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/scratch.ts';

const IS_SERVER = /dist-test-[\w-]+\/bundle\/main\.js$/;
const IS_LOAD = /bench\/load\/worker\.js$/;

test.each([
  { signal: 'SIGINT', when: 'its server starts', awaited: [IS_SERVER] },
  { signal: 'SIGINT', when: 'it measures', awaited: [IS_SERVER, IS_LOAD] },
  { signal: 'SIGTERM', when: 'it measures', awaited: [IS_SERVER, IS_LOAD] },
] as const)('a run that $signal ends while $when leaves nothing', async ({ signal, awaited }) => {
  const scratch = temporaryFolder();
  const runner = startBenchmark(scratch);
  await until(() => awaited.every((one) => commandsIn(scratch).some((line) => one.test(line))));

  const ended = new Promise((resolve) => runner.once('exit', resolve));
  runner.kill(signal);
  await ended;

  expect(readdirSync(scratch)).toEqual([]);
  // A killed process is gone once the kernel has taken it down.
  await until(() => commandsIn(scratch).length === 0);
});

function startBenchmark(scratch: string): ChildProcess {
  const file = join(inject('dist'), 'bench/run.js');
  const runner = spawn(process.execPath, [file, 'send', '--quick', '--seconds', '60'], {
    stdio: 'ignore',
    // biome-ignore lint/style/noProcessEnv: it finds its PATH there.
    env: { ...process.env, TMPDIR: scratch },
  });
  onTestFinished(() => void runner.kill('SIGKILL'));
  return runner;
}

/**
 * The command line of each process that was told of the folder: the runner's temporary one, or a
 * server's data in it.
 */
function commandsIn(scratch: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(scratch)) return [];
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean).join(' ')];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

async function until(hasCome: () => boolean): Promise<void> {
  while (!hasCome()) await delay(20);
}
