import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { describedError } from './domain/wire/described-error.ts';

export const STDERR = 2;

/** Serializes thrown values by a few fields only, in every log line. */
export const SERIALIZERS = {
  err: (error: unknown) => (isDescribed(error) ? error : describedError(error)),
};

/** Tests for an error that a bug report has described already. */
const isDescribed = (error: unknown) =>
  typeof error === 'object' && error !== null && !(error instanceof Error) && 'type' in error;

/**
 * Opens a log that writes JSON lines on the standard error output, or readable ones if that is a
 * terminal. It writes synchronously, so that no line is lost. Each line is also handed to `onLine`.
 */
export function openLog(level: string, onLine: (line: string) => void = () => {}): Logger {
  const written = destination();
  return logWith(level, (line) => {
    written.write(line);
    onLine(line);
  });
}

/**
 * Opens the log of a process that another one has started. Warnings and errors are handed over to
 * that one; what it does not take is written as by any other log.
 */
export function openHandedLog(level: string, handOver: (line: string) => boolean): Logger {
  const written = destination();
  return logWith(level, (line) => {
    if (levelIn(line) < WARNING || !handOver(line)) written.write(line);
  });
}

/** Writes a line of such a log. */
export function writeHanded(log: Logger, line: string) {
  const { level, time: _, name: __, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const named = Number(level) < ERROR ? 'warn' : 'error';
  log[named](fields, String(msg));
}

const WARNING = pino.levels.values['warn'] ?? 40;
const ERROR = pino.levels.values['error'] ?? 50;

/** The library writes the level first. */
const levelIn = (line: string) => Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? ERROR);

const destination = () =>
  isatty(STDERR)
    ? pretty({ destination: STDERR, sync: true })
    : pino.destination({ dest: STDERR, sync: true });

function logWith(level: string, write: (line: string) => void): Logger {
  const options = { level, base: { name: 'confab', pid: process.pid }, serializers: SERIALIZERS };
  return pino(options, { write });
}
