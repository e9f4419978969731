import { expect, test } from 'vitest';
import { isDisposable } from '../../../../src/domain/rules/people/disposable-domains.ts';

test.each([
  ['mailinator.com', true],
  ['MAILINATOR.com', true],
  ['any.thing.mailinator.com', true],
  ['mailinator.com.', true],
  ['mailinator.company', false],
  ['mailinator.com.example.org', false],
  ['example.com', false],
  ['com', false],
  ['localhost', false],
  ['', false],
])('%s is disposable: %s', (domain, expected) => {
  expect(isDisposable(domain)).toBe(expected);
});
