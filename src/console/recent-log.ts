import { LOG_CHARACTERS_KEPT, LOG_RECORDS_KEPT } from '../domain/limits/operator.ts';
import { meaningOf } from './log-meanings.ts';
import type { LogRecord } from './wire.ts';

/** The newest records of the log, in memory. */
export interface RecentLog {
  /** Takes a line as the log writes it. */
  add(line: string): void;
  all(): readonly LogRecord[];
  /** Calls back with each further record; returns what ends that. */
  follow(listener: (record: LogRecord) => void): () => void;
}

/**
 * Keeps lines as they are and reads them when somebody looks: a server may write thousands a second
 * that nobody ever reads.
 */
export function openRecentLog(): RecentLog {
  const lines: string[] = [];
  const listeners = new Set<(record: LogRecord) => void>();
  let added = 0;
  let characters = 0;

  return {
    add(line) {
      lines.push(line);
      added += 1;
      characters += line.length;
      while (
        lines.length > LOG_RECORDS_KEPT ||
        (characters > LOG_CHARACTERS_KEPT && lines.length > 1)
      ) {
        characters -= lines.shift()?.length ?? 0;
      }
      for (const listener of listeners) listener(recordOf(line, added));
    },
    all: () => lines.map((line, index) => recordOf(line, added - lines.length + 1 + index)),
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const LEVELS: Readonly<Record<number, LogRecord['level']>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** A field of the log is shown up to here: a trace of a bug can be long. */
const FIELDS_LENGTH_MAX = 8_000;

function recordOf(line: string, id: number): LogRecord {
  // The library of the log has written the line.
  const { level, time, msg, name, pid, ...fields } = parsed(line);
  const text = typeof msg === 'string' ? msg : '';
  return {
    id,
    at: Number(time ?? 0),
    level: LEVELS[Number(level)] ?? 'info',
    text,
    fields:
      Object.keys(fields).length === 0 ? '' : JSON.stringify(fields).slice(0, FIELDS_LENGTH_MAX),
    why: meaningOf(text),
  };
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { msg: line.trim() };
  }
}
