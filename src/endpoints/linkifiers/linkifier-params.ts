import { text } from '../params.ts';

// Blank ones are refused with the other problems of a linkifier, in `errors`.
export const pattern = text.describe(
  'A regular expression of Python that runs in linear time; spaces around it do not count',
);
export const urlTemplate = text.describe(
  'A URL template (RFC 6570) whose variables are the named groups of the pattern',
);
