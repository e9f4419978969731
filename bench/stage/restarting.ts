import { sharedNowMs } from '../load/steady-sends.ts';
import { startConfab } from '../servers/start.ts';
import type { Stage } from './subject.ts';

export type Signal = 'SIGTERM' | 'SIGKILL';

interface Restarted {
  readonly pid: number;
  /** When the old process was gone, on the clock of all processes. */
  readonly endedAtMs: number;
}

/** A confab that is ended and started again on its port and its data, as often as is asked. */
export interface Restarting {
  readonly restart: (signal: Signal) => Promise<Restarted>;
  readonly stop: () => Promise<void>;
}

export function restarting(stage: Stage): Restarting {
  const { data, address } = stage.place;
  if (data === undefined) throw new Error('a server elsewhere is not ours to end');
  let stopServer = stage.server.stop;
  return {
    restart: async (signal) => {
      await stopServer(signal);
      const endedAtMs = sharedNowMs();
      const server = await startConfab({ data, port: address.port });
      stopServer = server.stop;
      return { pid: server.pid, endedAtMs };
    },
    stop: async () => {
      await stopServer();
      // The first process is gone already; this removes its data.
      await stage.stop();
    },
  };
}
