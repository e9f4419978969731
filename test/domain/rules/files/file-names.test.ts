import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FILE_EXTENSION_LENGTH_MAX,
  FILE_NAME_LENGTH_MAX,
} from '../../../../src/domain/limits/files.ts';
import { pathName, shownName } from '../../../../src/domain/rules/files/file-names.ts';

test.each([
  { given: 'notes.txt', shown: 'notes.txt', path: 'notes.txt' },
  { given: 'Notes of May (2).txt', shown: 'Notes of May (2).txt', path: 'Notes-of-May-2.txt' },
  { given: '../../etc/passwd', shown: 'passwd', path: 'passwd' },
  { given: 'C:\\Users\\mel\\a.png', shown: 'a.png', path: 'a.png' },
  { given: '..', shown: 'uploaded-file', path: 'uploaded-file' },
  { given: '/', shown: 'uploaded-file', path: 'uploaded-file' },
  { given: ' \t ', shown: 'uploaded-file', path: 'uploaded-file' },
  { given: 'a\0b\r\nc.txt', shown: 'abc.txt', path: 'abc.txt' },
  { given: 'مرحبا.txt', shown: 'مرحبا.txt', path: 'مرحبا.txt' },
  { given: 'cod\u202Egpj.exe', shown: 'codgpj.exe', path: 'codgpj.exe' },
  { given: '\u2066x\u2069.txt', shown: 'x.txt', path: 'x.txt' },
  { given: 'half \ud83d.txt', shown: 'half .txt', path: 'half-.txt' },
  { given: '🗑', shown: '🗑', path: 'uploaded-file' },
  { given: 'ｆｕｌｌ.txt', shown: 'ｆｕｌｌ.txt', path: 'full.txt' },
  { given: '<b>"&\'?#%.html', shown: '<b>"&\'?#%.html', path: 'b.html' },
])('a file is shown and reached by a name without tricks: $given', ({ given, shown, path }) => {
  expect(shownName(given)).toBe(shown);
  expect(pathName(shownName(given))).toBe(path);
});

test('too long a name loses its end, but not its extension', () => {
  const longest = `${'x'.repeat(FILE_NAME_LENGTH_MAX - 4)}.txt`;
  expect(shownName(longest)).toBe(longest);
  expect(shownName(`x${longest}`)).toBe(longest);
  expect(shownName('🗑'.repeat(FILE_NAME_LENGTH_MAX + 1))).toBe('🗑'.repeat(FILE_NAME_LENGTH_MAX));
  const extension = `.${'y'.repeat(FILE_EXTENSION_LENGTH_MAX - 1)}`;
  expect(shownName(`${longest}${extension}`).endsWith(extension)).toBe(true);
  expect(shownName(`${longest}${extension}y`)).toBe(`${longest.slice(0, -4)}.txt`);
});

test('whatever it was called, a path is one segment that no browser reads as another', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
      const shown = shownName(given);
      const name = pathName(shown);
      expect(name).toMatch(/^[\p{L}\p{M}\p{N}._-]+$/u);
      expect(name).not.toMatch(/^\.*$/);
      expect(Array.from(name).length).toBeLessThanOrEqual(FILE_NAME_LENGTH_MAX);
      expect(Array.from(shown).length).toBeLessThanOrEqual(FILE_NAME_LENGTH_MAX);
      expect(decodeURIComponent(encodeURIComponent(shown))).toBe(shown);
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});
