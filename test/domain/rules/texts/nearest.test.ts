import { expect, test } from 'vitest';
import { nearest } from '../../../../src/domain/rules/texts/nearest.ts';

const KNOWN = ['realm list', 'realm show', 'user list', 'users import', 'serve', 'PORT'];

test.each([
  ['realm lst', 'realm list'],
  ['relam list', 'realm list'],
  ['usr list', 'user list'],
  ['sevre', 'serve'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['realm', 'realm list'],
  ['users', 'users import'],
  ['se', undefined],
  ['frobnicate', undefined],
  ['', undefined],
  ['realm list'.repeat(1000), undefined],
])('%s is probably %s', (typed, meant) => {
  expect(nearest(typed, KNOWN)).toBe(meant);
});
