import { expect, test } from 'vitest';
import { onCommand, run } from '../../../web/app/store/commands.ts';
import { commandFor, KEYS_HELP, type Press } from '../../../web/app/store/keys.ts';

const press = (key: string, some: Partial<Press> = {}): Press => ({
  key,
  ctrl: false,
  shift: false,
  alt: false,
  isInField: false,
  isInDialog: false,
  ...some,
});

test.each([
  ['/', 'search'],
  ['?', 'help'],
  ['n', 'next-topic'],
  ['I', 'inbox'],
  ['i', 'menu'],
  ['S', 'narrow-topic'],
  ['ArrowDown', 'message-down'],
  ['q', null],
  ['constructor', null],
])('%s outside of fields', (key, command) => {
  expect(commandFor(press(key), true)).toBe(command);
});

test('in a field letters are letters, and Ctrl-K is a command everywhere', () => {
  const isInField = true;
  expect(commandFor(press('n', { isInField }), true)).toBeNull();
  expect(commandFor(press('Escape', { isInField }), true)).toBeNull();
  expect(commandFor(press('s', { ctrl: true, isInField }), true)).toBeNull();
  expect(commandFor(press('k', { ctrl: true, isInField }), true)).toBe('palette');
});

test('letters can be turned off; keys that are no letters stay', () => {
  expect(commandFor(press('n'), false)).toBeNull();
  expect(commandFor(press('?'), false)).toBeNull();
  expect(commandFor(press('k', { ctrl: true }), false)).toBe('palette');
  expect(commandFor(press('Escape'), false)).toBe('back');
});

test('what the browser does with other keys is left to it', () => {
  expect(commandFor(press('r', { ctrl: true }), true)).toBeNull();
  expect(commandFor(press('K', { ctrl: true, shift: true }), true)).toBeNull();
  expect(commandFor(press('a', { alt: true }), true)).toBeNull();
  expect(commandFor(press('n', { isInDialog: true }), true)).toBeNull();
});

test('the help names every letter that does something', () => {
  const named = KEYS_HELP.flatMap(({ keys }) => keys.map(([key]) => key)).join(' ');
  for (let code = 33; code < 127; code += 1) {
    const key = String.fromCharCode(code);
    if (commandFor(press(key), true) === null) continue;
    const shown = /[A-Z]/.test(key) ? `Shift ${key}` : key;
    expect(` ${named} `).toContain(` ${shown} `);
  }
});

test('a command is done by who came last, and by nobody when all are gone', () => {
  const done: string[] = [];
  const first = onCommand('reply', () => done.push('first'));
  const second = onCommand('reply', () => done.push('second'));
  expect(run('reply')).toBe(true);
  second();
  expect(run('reply')).toBe(true);
  first();
  expect(run('reply')).toBe(false);
  expect(done).toEqual(['second', 'first']);
});
