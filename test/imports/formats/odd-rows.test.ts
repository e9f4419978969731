import { expect, test } from 'vitest';
import { irc } from '../../../src/imports/formats/irc/irc.ts';
import type { HistoryRow } from '../../../src/imports/history.ts';
import { rowsOf } from './archive-in-memory.ts';
import { CASES, type Kind, type Row } from './odd-row-cases.ts';

const VALUES: readonly unknown[] = [
  undefined,
  null,
  7,
  -1e300,
  true,
  '',
  'x'.repeat(20_000),
  '\0\ud800\u202e',
  [],
  [null, 7, ['x']],
  {},
  { $date: 'never', a: { b: null } },
];

/** Whole rows that are none, and rows of which one field is odd, or is missing. */
function* oddRows(another: Row): Generator<readonly [name: string, row: unknown]> {
  for (const row of [null, 7, 'text', [], {}]) yield [JSON.stringify(row), row];
  yield ['as it is', another];
  for (const field of Object.keys(another)) {
    for (const value of VALUES) {
      const { [field]: _, ...rest } = another;
      const row = value === undefined ? rest : { ...rest, [field]: value };
      yield [`${field}: ${(JSON.stringify(value) ?? 'missing').slice(0, 40)}`, row];
    }
  }
}

/** Names a row, so that it is found again whatever has become of it. */
const nameOf = (row: HistoryRow): string =>
  row.kind === 'emoji'
    ? `emoji ${row.name}`
    : row.kind === 'skipped'
      ? ''
      : row.kind === 'choice'
        ? `choice ${JSON.stringify(row)}`
        : `${row.kind} ${row.id}`;

const kinds = CASES.flatMap((one) =>
  Object.keys(one.kinds).map((kind) => ({ one, kind, name: `${one.format.name}: ${kind}` })),
);

test.each(kinds)('$name: an odd row is listed, and all others arrive', async ({ one, kind }) => {
  const all = (extra?: readonly [unknown]) =>
    Object.fromEntries(
      Object.entries(one.kinds).map(([name, { sound }]) => [
        name,
        name === kind && extra !== undefined
          ? [...sound.slice(0, 1), ...extra, ...sound.slice(1)]
          : sound,
      ]),
    );
  const expected = await rowsOf(one.format, one.files(all()));
  expect(expected.filter((row) => row.kind === 'skipped')).toEqual([]);
  const names = expected.map(nameOf);
  const { another, file, isAside = false } = one.kinds[kind] as Kind;
  for (const [name, odd] of oddRows(another)) {
    const rows = await rowsOf(one.format, one.files(all([odd])));
    const arrived = rows.filter((row) => row.kind !== 'skipped').map(nameOf);
    expect(arrived, name).toEqual(expect.arrayContaining(names));
    const left = rows.filter((row) => row.kind === 'skipped');
    for (const row of left) {
      expect(row.file.replace('.json', '.bson'), name).toBe(file.replace('.json', '.bson'));
      expect(row.row ?? String(row.count), name).toMatch(/\S/);
      expect(row.why, name).toMatch(/^[A-Z].*\.$/);
    }
    if (!isAside) expect(arrived.length > names.length || left.length > 0, name).toBe(true);
    JSON.stringify(rows);
  }
});

const IRC = ['--- Log opened Mon Nov 15 12:00:00 2004', '12:01 <ann> one', '12:03 <bob> two'];

test.each([
  'no line of a log',
  '{"date": 7}',
  '{"date":"2004-11-15","time":"12:02","nick":"","text":"x"}',
  '{"date":"2004-99-99","time":"99:99","nick":"a","text":"x"}',
  '{',
  '99:99 <ann> late',
  '\0\ud800',
  'x'.repeat(5 * 1024 * 1024),
  `12:02 <${'x'.repeat(200)}> long nick`,
])('irc: the line %.40j is listed, and all others arrive', async (line) => {
  const [head = '', ...said] = IRC;
  const log = [head, said[0], line, said[1], ''].join('\n');
  const rows = await rowsOf(irc, { 'tea/a.log': log });
  expect(rows.filter(({ kind }) => kind === 'message')).toHaveLength(2);
  expect(rows.filter(({ kind }) => kind === 'skipped')).toEqual([
    {
      kind: 'skipped',
      what: 'line',
      file: 'tea/a.log',
      row: '3',
      why: expect.stringMatching(/^[A-Z].*\.$/),
    },
  ]);
});
