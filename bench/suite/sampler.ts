import {
  forgetPeak,
  type ProcessUsage,
  peakBytes,
  processUsage,
  residentBytes,
} from '../servers/process-usage.ts';
import type { Series } from './results.ts';

export interface Pids {
  /** Absent where the server is elsewhere. */
  readonly server: number | undefined;
  readonly generator: number | undefined;
}

/** CPU time and memory of the processes while something ran. */
export interface Usage {
  readonly seconds: number;
  readonly server: (ProcessUsage & { readonly peakBytes: number }) | undefined;
  readonly generator: ProcessUsage | undefined;
}

interface Sampled {
  readonly usage: Usage;
  readonly samples: Series['samples'];
}

const SAMPLE_EVERY_MS = 200;
const MIB = 1024 * 1024;

/** Looks at both processes from now on; what it returns ends it. */
export function startSampling({ server, generator }: Pids): () => Sampled {
  if (server !== undefined) forgetPeak(server);
  const look = () => ({
    atMs: performance.now(),
    server: server === undefined ? undefined : processUsage(server),
    serverBytes: server === undefined ? undefined : residentBytes(server),
    generator: generator === undefined ? undefined : processUsage(generator),
  });
  const first = look();
  let last = first;
  const samples: Series['samples'][number][] = [];
  const sample = () => {
    const now = look();
    const cores = (of: 'server' | 'generator') => {
      const [then, since] = [last[of], now[of]];
      if (then === undefined || since === undefined) return null;
      return ((since.cpuSeconds - then.cpuSeconds) * 1000) / (now.atMs - last.atMs);
    };
    samples.push({
      seconds: (now.atMs - first.atMs) / 1000,
      serverCores: cores('server'),
      serverMib: now.serverBytes === undefined ? null : now.serverBytes / MIB,
      generatorCores: cores('generator'),
    });
    last = now;
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return () => {
    clearInterval(timer);
    const end = look();
    return {
      samples,
      usage: {
        seconds: (end.atMs - first.atMs) / 1000,
        server:
          server === undefined
            ? undefined
            : { ...used(first.server, end.server), peakBytes: peakBytes(server) },
        generator: generator === undefined ? undefined : used(first.generator, end.generator),
      },
    };
  };
}

const used = (from: ProcessUsage | undefined, to: ProcessUsage | undefined): ProcessUsage => ({
  cpuSeconds: (to?.cpuSeconds ?? 0) - (from?.cpuSeconds ?? 0),
  mainCpuSeconds: (to?.mainCpuSeconds ?? 0) - (from?.mainCpuSeconds ?? 0),
});

/**
 * A thread that is busy for this part of the time had none to spare: the rest is what the kernel
 * took from it.
 */
const BUSY = 0.9;

/** Returns true if the figure says how fast the generator is, and not the server. */
export function isGeneratorTheLimit({ seconds, server, generator }: Usage): boolean {
  if (generator === undefined || server === undefined) return false;
  const isBusy = ({ mainCpuSeconds }: ProcessUsage) => mainCpuSeconds >= BUSY * seconds;
  return isBusy(generator) && !isBusy(server);
}
