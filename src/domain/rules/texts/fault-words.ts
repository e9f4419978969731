import type { z } from 'zod';

/**
 * Describes what is wrong with a value, in words that follow the name of its field. Schemas with a
 * message of their own do not get here.
 */
export function faultWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `is not ${TYPES[issue.expected] ?? 'valid'}`;
    case 'invalid_value':
      return `is none of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${TOO_SMALL[issue.origin] ?? 'is less than'} ${issue.minimum}`;
    case 'too_big':
      return `${TOO_BIG[issue.origin] ?? 'is more than'} ${issue.maximum}`;
    default:
      return 'is invalid';
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const TOO_SMALL: Readonly<Record<string, string>> = {
  string: 'has fewer characters than',
  array: 'has fewer entries than',
};

const TOO_BIG: Readonly<Record<string, string>> = {
  string: 'has more characters than',
  array: 'has more entries than',
};
