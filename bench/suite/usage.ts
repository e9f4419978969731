import {
  forgetPeak,
  type ProcessUsage,
  peakBytes,
  processUsage,
} from '../servers/process-usage.ts';

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

/** Looks at both processes now; what it returns looks again and gives the difference. */
export function watchUsage({ server, generator }: Pids): () => Usage {
  if (server !== undefined) forgetPeak(server);
  const look = () => ({
    atMs: performance.now(),
    server: server === undefined ? undefined : processUsage(server),
    generator: generator === undefined ? undefined : processUsage(generator),
  });
  const first = look();
  return () => {
    const end = look();
    return {
      seconds: (end.atMs - first.atMs) / 1000,
      server:
        server === undefined
          ? undefined
          : { ...used(first.server, end.server), peakBytes: peakBytes(server) },
      generator: generator === undefined ? undefined : used(first.generator, end.generator),
    };
  };
}

const used = (from: ProcessUsage | undefined, to: ProcessUsage | undefined): ProcessUsage => ({
  cpuSeconds: (to?.cpuSeconds ?? 0) - (from?.cpuSeconds ?? 0),
  childrenCpuSeconds: (to?.childrenCpuSeconds ?? 0) - (from?.childrenCpuSeconds ?? 0),
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
