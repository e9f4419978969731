import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sources } from '../metrics/declaration.ts';
import type { LoopDelay } from '../metrics/loop-delay.ts';
import type { Console } from './console.ts';
import type { ConsoleInput } from './console-input.ts';
import { openSamples } from './samples.ts';
import { openSessions, type Sessions } from './sessions.ts';

/** The console as it is before anybody has opened it: samples, and who may come in. */
export interface PreparedConsole extends Pick<Sessions, 'issue'> {
  serve(req: IncomingMessage, res: ServerResponse): void;
  close(): void;
}

export type PrepareInput = Omit<ConsoleInput, 'samples' | 'sessions' | 'isBearer'> & {
  readonly sources: () => Sources;
  readonly loopDelay: LoopDelay;
  /** The token of the operator's listener; null: only this machine reaches it. */
  readonly token: string | null;
};

/**
 * Prepares the console of a server. The rest is loaded at the first request for it: most servers
 * run for months without one.
 */
export function prepareConsole({ sources, loopDelay, token, ...input }: PrepareInput) {
  const samples = openSamples({
    now: Date.now,
    read() {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed } = process.memoryUsage();
      return {
        ...sources(),
        loopP99Ms: loopDelay.p99Ms(),
        cpuSeconds: (user + system) / 1e6,
        rssBytes: rss,
        heapBytes: heapUsed,
      };
    },
  });
  const sessions = openSessions(Date.now, token);
  let opened: Promise<Console> | undefined;
  const open = async () => {
    const { openConsole } = await import('./console.ts');
    return openConsole({ ...input, samples, sessions, token });
  };
  return {
    issue: sessions.issue,
    serve(req, res) {
      opened ??= open();
      opened.then(
        (serve) => serve(req, res),
        (error: unknown) => {
          opened = undefined;
          input.onBug(error);
          res.writeHead(500).end();
        },
      );
    },
    close: samples.close,
  } satisfies PreparedConsole;
}
