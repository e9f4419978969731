import { expect, it } from 'vitest';
import {
  COMPARISONS_MAX,
  DEPTH_MAX,
  FILTER_LENGTH_MAX,
  InvalidFilter,
  parseFilter,
} from '../../src/domain/scim/filter.ts';

const eq = (path: string, value: unknown) => ({ is: 'compare', path, op: 'eq', value });

it.each([
  ['userName eq "a@b.example"', eq('username', 'a@b.example')],
  ['active EQ True', eq('active', true)],
  ['x eq null', eq('x', null)],
  ['x eq -1.5', eq('x', -1.5)],
  ['x eq "a\\"] or (b"', eq('x', 'a"] or (b')],
  ['title pr', { is: 'present', path: 'title' }],
  ['not (a eq 1)', { is: 'not', of: eq('a', 1) }],
  ['emails[type eq "work"]', { is: 'within', path: 'emails', of: eq('type', 'work') }],
  [
    'emails[type eq "work"].Value eq "a"',
    {
      is: 'within',
      path: 'emails',
      of: { is: 'and', left: eq('type', 'work'), right: eq('value', 'a') },
    },
  ],
  [
    'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"',
    eq('urn:ietf:params:scim:schemas:core:2.0:user:username', 'a'),
  ],
])('reads %s', (text, tree) => {
  expect(parseFilter(text)).toEqual(tree);
});

it('binds "and" closer than "or", and parentheses closest', () => {
  const [a, b, c] = [eq('a', 1), eq('b', 2), eq('c', 3)];
  const and = (left: unknown, right: unknown) => ({ is: 'and', left, right });
  const or = (left: unknown, right: unknown) => ({ is: 'or', left, right });
  expect(parseFilter('a eq 1 or b eq 2 and c eq 3')).toEqual(or(a, and(b, c)));
  expect(parseFilter('(a eq 1 or b eq 2) and c eq 3')).toEqual(and(or(a, b), c));
});

it.each([
  '',
  'a',
  'a eq',
  'a xx 1',
  'a eq b',
  'a eq 1 b',
  '(a pr',
  'a[b pr',
  'a[b pr].',
  'a[b pr].c',
  '.a pr',
  '"a" eq 1',
  'a eq "x',
  'a eq 1-2',
  'a;b',
])('refuses %j', (text) => {
  expect(() => parseFilter(text)).toThrow(InvalidFilter);
});

it('keeps to its bounds', () => {
  const many = (count: number) => Array(count).fill('a pr').join(' or ');
  const deep = (count: number) => `${'('.repeat(count)}a pr${')'.repeat(count)}`;
  expect(() => parseFilter(many(COMPARISONS_MAX))).not.toThrow();
  expect(() => parseFilter(many(COMPARISONS_MAX + 1))).toThrow('too many');
  expect(() => parseFilter(deep(DEPTH_MAX))).not.toThrow();
  expect(() => parseFilter(deep(DEPTH_MAX + 1))).toThrow('too deeply');
  expect(() => parseFilter('a'.repeat(FILTER_LENGTH_MAX + 1))).toThrow('too long');
});
