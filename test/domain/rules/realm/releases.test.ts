import { expect, test } from 'vitest';
import { newsSince, RELEASES } from '../../../../src/domain/rules/realm/releases.ts';
import { SERVICE_VERSION } from '../../../../src/domain/version.ts';

const releases = ['0.1.0', '0.2.0', '0.9.1', '0.10.0', '1.0.0'].map((version) => ({
  version,
  news: `* ${version}`,
}));

test.each([
  { since: '0.1.0', present: '0.9.1', told: ['0.2.0', '0.9.1'] },
  { since: '0.9.1', present: '1.0.0', told: ['0.10.0', '1.0.0'] },
  { since: '0.9.0', present: '0.9.5', told: ['0.9.1'] },
  { since: '0.2.0', present: '0.2.0', told: [] },
  { since: '1.0.0', present: '0.2.0', told: [] },
])('between $since and $present the news are $told', ({ since, present, told }) => {
  const found = newsSince(since, { releases, present });
  expect(found.map(({ version }) => version)).toEqual(told);
});

test('this version has news, and they are the last ones', () => {
  expect(RELEASES.at(-1)?.version).toBe(SERVICE_VERSION);
  expect(RELEASES.map(({ version }) => version)).toEqual([
    ...new Set(RELEASES.map(({ version }) => version)),
  ]);
});
