import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export const STDERR = 2;

/** JSON lines on the standard error output; readable ones when that is a terminal. Written at once: none is lost. */
export function openLog(level: string): Logger {
  const options = { level, base: { name: 'confab', pid: process.pid } };
  if (isatty(STDERR)) return pino(options, pretty({ destination: STDERR, sync: true }));
  return pino(options, pino.destination({ dest: STDERR, sync: true }));
}
