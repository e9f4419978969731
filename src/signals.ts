import type { Logger } from 'pino';

interface Signals {
  readonly log: Logger;
  /** Whether somebody sits at a terminal, which a SIGHUP says is gone. */
  readonly hasTerminal: boolean;
  /** Begins to drain the server; called again when a second signal comes. */
  readonly stop: () => void;
}

/** A supervisor, a person at a terminal and `docker stop` ask by these for a clean end. */
const STOPPING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];

/**
 * By default these end the process at once, undrained, or open a debugger (SIGUSR1). The server reads nothing again while it
 * runs, so they are logged and otherwise ignored, as Redis does. SIGXFSZ comes with a write over a limit of file sizes, which
 * then fails with an error of its own.
 */
const IGNORED: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGIO',
  'SIGPWR',
  'SIGXFSZ',
];

/** Called before anything is opened: a signal that means nothing must not end a start either. */
export function ignoreSignals(log: Logger) {
  for (const signal of IGNORED) {
    process.on(signal, () => log.warn({ signal }, 'ignored; a restart reads settings and keys'));
  }
}

/** Called when the server is ready. */
export function stopOnSignals({ log, hasTerminal, stop }: Signals) {
  const stopOn = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    stop();
  };
  for (const signal of STOPPING) process.on(signal, stopOn);
  if (!hasTerminal) return;
  process.removeAllListeners('SIGHUP');
  process.on('SIGHUP', stopOn);
}

interface Npm extends Pick<Signals, 'log' | 'stop'> {
  /** The shell that became this process was started by it. */
  readonly npmPid: number;
}

/** A server that npm started must not outlive it by more than this. */
const PARENT_LOOK_MS = 500;

/**
 * Stops the server once the process that started it is gone. npm hands on the signals that it can; one that is killed hands
 * on nothing, and whoever started it believes that the server has ended with it. It may have been killed before this process
 * began, while its shell built the server.
 */
export function stopWithNpm({ log, stop, npmPid }: Npm) {
  const looking = setInterval(() => {
    if (process.ppid === npmPid) return;
    clearInterval(looking);
    log.warn('stopping: npm, which started this server, is gone');
    stop();
  }, PARENT_LOOK_MS);
  looking.unref();
}
