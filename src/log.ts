import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { describedError } from './domain/wire/described-error.ts';

export const STDERR = 2;

/** What is thrown is told by a few fields alone, whoever logs it. */
export const SERIALIZERS = {
  err: (error: unknown) => (isDescribed(error) ? error : describedError(error)),
};

/** A report of a bug brings what it tells of the error. */
const isDescribed = (error: unknown) =>
  typeof error === 'object' && error !== null && !(error instanceof Error) && 'type' in error;

/** JSON lines on the standard error output; readable ones when that is a terminal. Written at once: none is lost. */
export function openLog(level: string): Logger {
  const options = { level, base: { name: 'confab', pid: process.pid }, serializers: SERIALIZERS };
  if (isatty(STDERR)) return pino(options, pretty({ destination: STDERR, sync: true }));
  return pino(options, pino.destination({ dest: STDERR, sync: true }));
}
