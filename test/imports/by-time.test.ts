import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HISTORY_SORTED_CHARACTERS } from '../../src/domain/limits/archives.ts';
import type { HistoryMessage, HistoryRow } from '../../src/imports/history.ts';
import { byTime } from '../../src/imports/running/by-time.ts';
import { openRandom } from '../support/random.ts';
import { ownTemporaryFiles } from '../support/scratch.ts';

const message = (id: number, sentAt: number, text = 'x'): HistoryMessage => ({
  kind: 'message',
  id: String(id),
  sender: 'u',
  to: { channel: 'c', topic: 't' },
  sentAt,
  content: [text],
  reactions: [],
});

async function* rowsOf(rows: Iterable<HistoryRow>): AsyncGenerator<HistoryRow> {
  yield* rows;
}

async function sorted(rows: Iterable<HistoryRow>): Promise<HistoryRow[]> {
  const found: HistoryRow[] = [];
  for await (const row of byTime(rowsOf(rows))) found.push(row);
  return found;
}

const folders = (temporary: string) =>
  readdirSync(temporary).filter((name) => name.startsWith('confab-import-'));

test('messages come by time, those of one second in their order, and other rows at once', async () => {
  const skipped: HistoryRow = { kind: 'skipped', file: 'w', what: 'x', why: 'y' };
  const found = await sorted([message(1, 30), message(2, 10), skipped, message(3, 30)]);
  expect(found).toEqual([skipped, message(2, 10), message(1, 30), message(3, 30)]);
});

test('more than fit into memory are sorted in files, which are removed', async () => {
  const temporary = ownTemporaryFiles();
  const random = openRandom(7);
  const text = `a line\u2028and another\n${'é'.repeat(40_000)}`;
  const count = Math.ceil((HISTORY_SORTED_CHARACTERS / text.length) * 2.5);
  const rows = Array.from({ length: count }, (_, id) => message(id, random.below(100), text));
  let most = 0;
  let last = message(-1, -1);
  let seen = 0;
  for await (const row of byTime(rowsOf(rows))) {
    most = Math.max(most, folders(temporary).length);
    if (row.kind !== 'message') throw new Error('only messages came in');
    const isLater =
      row.sentAt > last.sentAt || (row.sentAt === last.sentAt && Number(row.id) > Number(last.id));
    expect(isLater).toBe(true);
    expect(row.content[0]).toBe(text);
    last = row;
    seen += 1;
  }
  expect(seen).toBe(count);
  expect(most).toBeGreaterThan(0);
  expect(folders(temporary)).toEqual([]);
});
