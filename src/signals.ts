import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { ByNpm } from './config.ts';

interface Signals {
  readonly log: Logger;
  /** True if the process has a terminal; then a SIGHUP means that it is gone. */
  readonly hasTerminal: boolean;
  /** Begins to drain the server; a second signal calls it again. */
  readonly stop: () => void;
  /** Reads the key and the certificate again. */
  readonly readTlsAgain: () => void;
}

/** Supervisors, people at a terminal and `docker stop` use these signals to ask for a clean end. */
const STOPPING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];

/**
 * Signals that by default end the process at once, undrained, or open a debugger (SIGUSR1). The
 * server reads no settings again while it runs, so they are logged and otherwise ignored, as Redis
 * does; only SIGHUP means more once the server is ready. SIGXFSZ comes with a write over a limit of
 * file sizes, which then fails with an error of its own.
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

/**
 * Ignores those signals. It is called before anything is opened, because they must not end a start
 * either.
 */
export function ignoreSignals(log: Logger) {
  for (const signal of IGNORED) {
    process.on(signal, () => log.warn({ signal }, 'ignored; a restart reads the settings'));
  }
}

/**
 * Makes signals stop the server, and SIGHUP read the certificate again unless it means that the
 * terminal is gone. It is called when the server is ready.
 */
export function stopOnSignals({ log, hasTerminal, stop, readTlsAgain }: Signals) {
  const stopOn = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    stop();
  };
  for (const signal of STOPPING) process.on(signal, stopOn);
  process.removeAllListeners('SIGHUP');
  if (hasTerminal) return void process.on('SIGHUP', stopOn);
  process.on('SIGHUP', (signal) => {
    log.warn({ signal }, 'the certificate is read again; a restart reads the settings');
    readTlsAgain();
  });
}

interface Npm extends Pick<Signals, 'log' | 'stop'> {
  readonly npm: ByNpm;
}

/**
 * How often the parent is checked: a server that npm started must not outlive it by more than this.
 */
const PARENT_LOOK_MS = 500;

/**
 * Stops the server once the process that started it is gone. npm passes on the signals that it can,
 * but not when it is killed, and its caller believes that the server has ended with it. It may have
 * been killed before this process began, while its shell built the server.
 */
export function stopWithNpm({ log, stop, npm: { pid } }: Npm) {
  const first = npmAbove();
  const isThere = pid === null ? () => npmAbove() === first : () => process.ppid === pid;
  const looking = setInterval(() => {
    if (isThere()) return;
    clearInterval(looking);
    log.warn('stopping: npm, which started this server, is gone');
    stop();
  }, PARENT_LOOK_MS);
  looking.unref();
}

/**
 * Returns the process of `npx`, whose name begins with npm: the parent, or the parent of the shell
 * between the two. Some shells become the command that they run, others wait for it.
 */
function npmAbove(): number | undefined {
  const parent = statusOf(process.ppid);
  return parent?.name.startsWith('npm') ? process.ppid : parent?.parent;
}

/** Returns undefined where the process has ended, or where Linux does not show it. */
function statusOf(pid: number) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, name = ''] = /^Name:\t(.*)$/m.exec(status) ?? [];
    return { name, parent: Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]) };
  } catch {
    return undefined;
  }
}
