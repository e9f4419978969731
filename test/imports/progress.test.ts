import { expect, test } from 'vitest';
import { showProgress } from '../../src/imports/command/progress.ts';

function screen(isTTY: boolean) {
  let text = '';
  let now = 0;
  const out = {
    isTTY,
    columns: 100,
    write(more: string) {
      text += more;
      return true;
    },
    clearLine: () => true,
    cursorTo: () => true,
    on: () => out,
    removeListener: () => out,
  } as unknown as NodeJS.WriteStream; // the parts that a bar uses
  return {
    shown: showProgress(out, () => now),
    text: () => text,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('without a terminal there is a line now and then, with the rate and the time that is left', () => {
  const { shown, text, pass } = screen(false);
  for (let read = 1; read <= 1_000; read++) shown.note({ read, done: 0 });
  expect(text()).toBe('');
  pass(6_000);
  shown.note({ read: 1_001, done: 0 });
  expect(text()).toBe('confab: reads the archive: 1,001 messages\n');
  for (let done = 1; done <= 1_001; done++) {
    pass(20);
    shown.note({ read: 1_001, done });
  }
  shown.stop();
  const lines = text().trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[2]).toBe('confab: 500 of 1,001 messages | 50 a second | 10 s left');
});

test('on a terminal there is a bar', () => {
  const { shown, text, pass } = screen(true);
  pass(300);
  shown.note({ read: 100, done: 0 });
  expect(text()).toBe('\r\u001b[Kreads the archive: 100 messages');
  for (let done = 1; done <= 200; done++) {
    pass(100);
    shown.note({ read: 400, done });
  }
  shown.stop();
  expect(text()).toMatch(/█+░+ 50% \| 200 of 400 messages \| 10 a second \| 20 s left/);
});
