import { expect, test } from 'vitest';
import { inFull } from '../../../src/operations/channels/colors.ts';

test.each([
  { given: '#abc', shown: '#aabbcc' },
  { given: '#ABCD', shown: '#aabbcc' },
  { given: '#1a2b3', shown: '#11aa22' },
  { given: '#A1B2C3', shown: '#a1b2c3' },
])('the colour $given is shown in six digits', ({ given, shown }) => {
  expect(inFull(given)).toBe(shown);
});
