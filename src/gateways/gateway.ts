import type { Logger } from 'pino';
import { makeFilesPrivately } from '../admin/private-files.ts';
import { openHandedLog } from '../log.ts';
import { openLoad } from '../metrics/load.ts';
import { openServerRecorders } from '../monitoring.ts';
import { openNotes } from '../notes.ts';
import { collectLessOften } from '../processes/heap.ts';
import { openAdditions } from './counts/counts.ts';
import type { SocketCounts } from './counts/shown.ts';
import { openPart, type Part } from './serving/gateway-part.ts';
import { openWriter } from './serving/writer.ts';

/** How often the writer is told what was counted. */
const COUNTS_MS = 1_000;
/** The time for the kernel to send the last answers. */
const LINGER_MS = 50;

/**
 * A process that serves clients: it reads the stores, listens to the port with others of its kind,
 * and has the writer, which started it, do all else. It ends with the writer.
 */
function run() {
  collectLessOften();
  let part: Part | null = null;
  let log: Logger | null = null;
  /** The writer has ended, and takes nothing any more. */
  let isAlone = false;
  const writer = openWriter({
    onBegin(beginning) {
      log = openHandedLog(beginning.settings.logLevel, (line) => {
        if (isAlone) return false;
        writer.send(['logged', line]);
        return true;
      });
      const recorders = openServerRecorders();
      const notes = openNotes(log, recorders.bugs);
      const additions = openAdditions(recorders);
      const load = openLoad();
      const tellCounts = (sockets: SocketCounts) => {
        writer.send(['counts', additions(), sockets, load()]);
      };
      const opened = openPart({ beginning, writer, notes, recorders, tellCounts });
      part = opened;
      // Also without any, it shows that this process takes its turns.
      setInterval(() => tellCounts(opened.socketCounts()), COUNTS_MS).unref();
    },
    onFrame(frame) {
      part?.take(frame).catch(fail);
    },
    onEnd() {
      isAlone = true;
      void leave();
    },
  });

  /** An error here leaves the state of this process in doubt; another one takes its place. */
  function fail(error: unknown) {
    log?.fatal({ err: error }, 'a gateway cannot go on');
    writer.send(['failed', error instanceof Error ? error.message : String(error)]);
    writer.end();
  }

  async function leave() {
    const code = part?.isDraining() ? 0 : 1;
    await part?.writerIsGone().catch(() => undefined);
    setTimeout(() => process.exit(code), LINGER_MS);
  }

  process.on('uncaughtException', fail);
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'unhandled rejection'));
  // A terminal sends them to all of its processes. The writer tells when this one has to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const) {
    process.on(signal, () => undefined);
  }
}

makeFilesPrivately();
run();
