import { expect, test } from 'vitest';
import { coveragePage, missingTests, readSections } from './support/coverage.ts';

const sections = readSections();

test('every line of the specification is shown by a test', () => {
  const empty = sections.flatMap(({ title, lines }) =>
    lines.filter(({ shownBy }) => shownBy.length === 0).map(({ text }) => `${title}: ${text}`),
  );
  expect(sections.flatMap(({ lines }) => lines).length).toBeGreaterThan(400);
  expect(empty).toEqual([]);
});

test('every test that is said to show a line exists', () => {
  expect(missingTests(sections)).toEqual([]);
});

test('no line is there twice', () => {
  const names = sections.flatMap(({ title, lines }) =>
    lines.map(({ text }) => `${title}: ${text}`),
  );
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('docs/coverage.md is what the lines say', async () => {
  await expect(coveragePage(sections)).toMatchFileSnapshot('../docs/coverage.md');
});
