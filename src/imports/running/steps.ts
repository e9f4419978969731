import {
  IMPORT_STEPS_AT_ONCE_MAX,
  IMPORTED_CHARACTERS_PER_STEP,
  IMPORTED_ROWS_PER_STEP_MAX,
} from '../../domain/limits/archives.ts';
import type { StepReply } from './target.ts';

/** Sends rows in steps, in their order. */
export interface Steps<Row> {
  add(row: Row): Promise<void>;
  /** Resolves when all rows were answered; rejects if a step has failed. */
  end(): Promise<void>;
}

export interface StepsInput<Row> {
  readonly send: (rows: readonly Row[]) => Promise<StepReply>;
  /** Is told each row that the server has refused, as nobody else hears of it. */
  readonly onRefused: (row: Row, why: string) => void;
  /** Tells about how long a row is; without it all are short. */
  readonly charactersOf?: (row: Row) => number;
}

/**
 * Sends rows in steps of a bounded size, a few at once: the next rows are made while the server
 * works, and it has them when it is done. How fast it takes them is up to the server, which knows
 * who else wants something.
 */
export function openSteps<Row>({
  send,
  onRefused,
  charactersOf = () => 0,
}: StepsInput<Row>): Steps<Row> {
  let rows: Row[] = [];
  let characters = 0;
  const under: Promise<unknown>[] = [];
  async function sent(step: readonly Row[]) {
    const { refused } = await send(step);
    for (const { index, why } of refused) {
      const row = step[index];
      if (row !== undefined) onRefused(row, why);
    }
  }
  async function flush() {
    while (under.length >= IMPORT_STEPS_AT_ONCE_MAX) await under.shift();
    if (rows.length === 0) return;
    const step = sent(rows);
    rows = [];
    characters = 0;
    // It is awaited later; until then a refusal is nobody's.
    step.catch(() => undefined);
    under.push(step);
  }
  return {
    async add(row) {
      rows.push(row);
      characters += charactersOf(row);
      const isFull = characters >= IMPORTED_CHARACTERS_PER_STEP;
      if (isFull || rows.length >= IMPORTED_ROWS_PER_STEP_MAX) await flush();
    },
    async end() {
      await flush();
      while (under.length > 0) await under.shift();
    },
  };
}
