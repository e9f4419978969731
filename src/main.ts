import { isatty } from 'node:tty';
import { diskCode, diskFault } from '../storage/files/disk-fault.ts';
import { StoreTooNew } from '../storage/migrations/schema-version.ts';
import { DataDirectoryError } from './admin/data-directory.ts';
import { readDemo } from './admin/demo-file.ts';
import { makeFilesPrivately } from './admin/private-files.ts';
import { type App, startApp } from './app.ts';
import { banner } from './banner.ts';
import { type ByNpm, readSettings, type ServerSettings, startedByNpm } from './config.ts';
import { openRecentLog } from './console/recent-log.ts';
import { STOP_MS_MAX } from './domain/limits/turns.ts';
import { openLog, STDERR } from './log.ts';
import { warmUp } from './markdown/warm-up.ts';
import { collectLessOften } from './processes/heap.ts';
import { ConfigError } from './settings/reading.ts';
import { ignoreSignals, stopOnSignals, stopWithNpm } from './signals.ts';
import { ListenError } from './transport/connections/ports.ts';
import { NotNative } from './transport/library/refusals.ts';
import { loadedLibrary } from './transport/library/sockets.ts';
import { API_PREFIX } from './transport/requests/api.ts';

/** Errors that an operator can mend: they are printed in one line, without a trace. */
const KNOWN = [ConfigError, DataDirectoryError, ListenError, NotNative, StoreTooNew];

async function run(settings: ServerSettings, npm: ByNpm | null) {
  collectLessOften();
  const recentLog = openRecentLog();
  const log = openLog(settings.logLevel, recentLog.add);
  ignoreSignals(log);
  const app = await startApp({
    settings,
    log,
    recentLog,
    onFatal(error, why = 'a commit did not reach the disk') {
      // Nothing in memory can be trusted after a failed sync: stop at once, without answers
      // (docs/architecture.md, invariant 8).
      log.fatal({ err: error, code: diskCode(error), reason: diskFault(error) }, why);
      process.exit(1);
    },
  });
  const signals = {
    log,
    hasTerminal: isatty(STDERR),
    stop: () => stop(app, settings.drainMs),
    readTlsAgain: () => void app.readTlsAgain(),
  };
  stopOnSignals(signals);
  if (npm !== null) stopWithNpm({ ...signals, npm });
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  log.info({ url: app.url, data: settings.data, sockets: loadedLibrary().name }, 'ready');
  const demo = readDemo(settings.data, `${app.url}${API_PREFIX}`);
  process.stdout.write(banner({ ...settings, url: app.url, demo }));
  setTimeout(() => takeSteps(warmUp()), WARM_UP_AFTER_MS).unref();
}

/** Clients that come back after a restart are served first. */
const WARM_UP_AFTER_MS = 1_000;

/**
 * Requests are served between the steps, which take some milliseconds each; loading KaTeX takes 30.
 */
const STEP_PAUSE_MS = 50;

function takeSteps(steps: Iterator<void>) {
  const timer = setTimeout(() => {
    if (!isStopping && !steps.next().done) takeSteps(steps);
  }, STEP_PAUSE_MS);
  timer.unref();
}

/** The time for the kernel to send the last answer after it was handed over. */
const LINGER_MS = 50;

let isStopping = false;

function stop(app: App, drainMs: number) {
  if (isStopping) return;
  isStopping = true;
  // A commit that takes longer than this is not awaited; what it contains was not acknowledged.
  setTimeout(() => process.exit(1), drainMs + STOP_MS_MAX - 500).unref();
  app.stop().then(
    () => setTimeout(() => process.exit(0), LINGER_MS),
    () => process.exit(1),
  );
}

function refuse(error: unknown): never {
  const isKnown = KNOWN.some((kind) => error instanceof kind);
  const text = isKnown ? (error as Error).message : unknownFault(error);
  process.stderr.write(`confab: ${text}\n`);
  process.exit(1);
}

/**
 * Describes an unknown error: the operator can mend what the operating system refuses; anything
 * else is a bug, and needs its trace.
 */
const unknownFault = (error: unknown): string =>
  diskCode(error) === undefined ? String((error as Error).stack ?? error) : diskFault(error);

makeFilesPrivately();
try {
  run(readSettings(), startedByNpm()).catch(refuse);
} catch (error) {
  refuse(error);
}
