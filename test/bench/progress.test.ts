import { expect, test } from 'vitest';
import { secondsLeft } from '../../bench/terminal/progress.ts';

test('what is left is what was planned, until this machine has shown how fast it is', () => {
  expect(secondsLeft({ doneSeconds: 10, totalSeconds: 100, elapsedSeconds: 40 })).toBe(90);
});

test('then it is stretched as what is done was', () => {
  expect(secondsLeft({ doneSeconds: 25, totalSeconds: 100, elapsedSeconds: 50 })).toBe(150);
});
