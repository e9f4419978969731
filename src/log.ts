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
  const options = { level, base: { name: 'confab', pid: process.pid }, serializers: SERIALIZERS };
  const written = isatty(STDERR)
    ? pretty({ destination: STDERR, sync: true })
    : pino.destination({ dest: STDERR, sync: true });
  return pino(options, {
    write(line: string) {
      written.write(line);
      onLine(line);
    },
  });
}
