import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE, pageOf, ROWS, type Row } from '../../support/cluster/recipe.ts';

test('the page of the results says what the recipes found', () => {
  const rows: Row[] = JSON.parse(readFileSync(ROWS, 'utf8'));
  expect(rows.length).toBeGreaterThan(4);
  expect(readFileSync(PAGE, 'utf8')).toBe(pageOf(rows));
});
