import { expect, test } from 'vitest';
import { IMPORT_SKIPPED_LISTED_MAX } from '../../src/domain/limits/archives.ts';
import { openReport } from '../../src/imports/running/report.ts';

test('a report stays short however many rows and names an archive leaves out', () => {
  const report = openReport();
  for (let at = 0; at < 5_000; at += 1) report.skip(`file ${at}`, 'x'.repeat(1_000), 'It is gone.');
  const lines = report.lines({});
  expect(lines[0]).toEqual({ left_out: 5_000 });
  expect(lines.length).toBeLessThanOrEqual(2 * IMPORT_SKIPPED_LISTED_MAX + 2);
  expect(lines).toContainEqual({ left_out: 'others', count: 4_900 });
  expect(JSON.stringify(lines).length).toBeLessThan(100_000);
});
