import { expect, test } from 'vitest';
import { shown } from '../../src/command-line/output.ts';
import type { Row } from '../../src/command-line/tables.ts';
import { IMPORT_SKIPPED_LISTED_MAX } from '../../src/domain/limits/archives.ts';
import { openReport } from '../../src/imports/running/report.ts';

test('a report stays short however many rows and names an archive leaves out', () => {
  const report = openReport();
  for (let at = 0; at < 5_000; at += 1) {
    const [row, why] = [String(at), `It is no ${at}.`];
    report.skip({ what: 'file', file: 'x'.repeat(1_000), row, why });
  }
  const lines = report.lines({});
  expect(lines[0]).toEqual({ left_out: 5_000 });
  expect(lines.length).toBeLessThanOrEqual(2 * IMPORT_SKIPPED_LISTED_MAX + 2);
  expect(lines).toContainEqual(expect.objectContaining({ left_out: 'others', count: 4_800 }));
  expect(JSON.stringify(lines).length).toBeLessThan(200_000);
});

test('all that is left out has the same fields, and each row is counted once', () => {
  const report = openReport();
  const why = 'It has no time.';
  report.skip({ what: 'user', file: 'users.json', row: '3', why });
  report.skip({ what: 'message', file: 'a.json', why, count: 7 });
  for (let at = 0; at < 300; at += 1) {
    report.skip({ what: 'message', file: 'b.json', row: String(at + 1), name: 'Ann', why });
  }
  report.skip({ what: 'file', file: 'c.json', row: '1', why });
  const [head, ...rows] = report.lines({ realm: 'old' }) as Row[];
  expect(head).toEqual({ realm: 'old', left_out: 309 });
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(['left_out', 'count', 'file', 'row', 'name', 'why']);
  }
  expect(rows.reduce((sum, { count }) => sum + Number(count), 0)).toBe(309);
  // A line that counts several has the place of the first.
  const [many, last] = rows.slice(-2);
  expect(many).toMatchObject({ left_out: 'message', count: 202, file: 'b.json', row: '99' });
  expect(last).toMatchObject({ left_out: 'file', count: 1, file: 'c.json', row: '1' });
});

test('a terminal shows totals, and then one table', () => {
  const report = openReport();
  report.add('messages', 12);
  report.skip({ what: 'message', file: 'a.json', row: '7', why: 'It has no time.' });
  const terminal = { columns: 100, hasColours: false };
  const text = shown('import slack', report.lines({ realm: 'old' }) as Row[], terminal);
  expect(text).toMatch(
    /^realm +old\nmessages +12\nleft out +1\n\nleft out +count +file +row +name +why\n/,
  );
  expect(text).toMatch(/\nmessage +1 +a\.json +7 +- +It has no time\.\n$/);
});
