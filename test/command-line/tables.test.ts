import { expect, test } from 'vitest';
import { displayWidth } from '../../src/command-line/display-width.ts';
import { shown, shownLine } from '../../src/command-line/output.ts';

const PLAIN = { columns: 100, hasColours: false };
const COLOURED = { columns: 100, hasColours: true };
const user = (user_id: number, full_name: string) => ({
  user_id,
  email: `${user_id}@example.com`,
  full_name,
  role: 400,
  is_bot: false,
  is_active: true,
});

test('a list is a table whose columns are aligned, also with wide and combined characters', () => {
  const text = shown(
    'user list',
    [user(1, 'Zoë 山田'), user(10, 'Zoe\u0308'), user(100, '🙂')],
    PLAIN,
  );
  expect(text).toBe(
    [
      ' id  name      email            role    state',
      '  1  Zoë 山田  1@example.com    member  active',
      ' 10  Zoë       10@example.com   member  active'.replace('ë', 'e\u0308'),
      '100  🙂        100@example.com  member  active',
      '',
    ].join('\n'),
  );
  const starts = text.split('\n').map((line) => displayWidth(line.split(/\d+@/)[0] ?? ''));
  expect(new Set(starts.slice(1, 4)).size).toBe(1);
});

test('names do not reach the terminal with characters that it obeys', () => {
  const text = shown('user list', [user(1, 'a\u001b[2J\u202eb\r')], PLAIN);
  expect(text).toContain('a·[2J·b·');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test('a table that is wider than the terminal is shown row by row', () => {
  const text = shown('user list', [user(1, 'Mel'), user(2, 'Max')], { ...PLAIN, columns: 30 });
  expect(text).toBe(`id     1
name   Mel
email  1@example.com
role   member
state  active

id     2
name   Max
email  2@example.com
role   member
state  active
`);
});

test('there are colours where the terminal has them, and they take no columns', () => {
  const rows = [
    { realm_id: 1, realm: 'demo', is_active: false },
    { realm_id: 2, realm: 'acme' },
  ];
  const coloured = shown('realm list', rows, COLOURED);
  expect(coloured).toContain('\u001b[33mdeactivated\u001b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(shown('realm list', rows, PLAIN));
});

test('an empty list says what to do', () => {
  expect(shown('realm list', [], PLAIN)).toMatch(/^There are no realms yet: `confab init` .*\n$/);
});

test('one thing is shown by its fields', () => {
  const row = {
    user_id: 12_345,
    bytes: 1_572_864,
    at: '2026-01-05T03:15:00.123Z',
    former: [],
    x: null,
  };
  expect(shown('user show', [row], PLAIN)).toBe(`user id  12345
bytes    1.5 MiB
at       2026-01-05 03:15:00Z
former   -
x        -
`);
});

test('the faults of a check and its summary are lines', () => {
  const realm = { realm_id: 1, realm: 'demo' };
  expect(shownLine({ ...realm, table: 'users', what: 'is no row', where: '[7]' }, PLAIN)).toBe(
    'fail  demo  users  is no row  [7]\n',
  );
  expect(shownLine({ ...realm, is_sound: true, faults: 0, rows: 1234, files: null }, PLAIN)).toBe(
    'ok    demo: 0 faults, 1,234 rows\n',
  );
});
