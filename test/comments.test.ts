import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Every comment under these folders follows the rules. */
const ROOTS = ['src', 'actors', 'storage', 'web', 'client/src', 'test', 'bench'];

const COLUMNS_MAX = 100;
/**
 * Finds a relative or a preposition in place of a subject: "What is stored", "Where it goes", "Of a
 * user".
 */
const WITHOUT_SUBJECT =
  /^\s*(?:\/\*\*|\*|\/\/) ?(?:What|Who|Whose|Whom|Of|Where|Those|That|Which|Whether|Whoever|Whatever|However|Neither|Nobody)\b/;
/** Words that stand for plainer ones: everybody who, again, whatever value. */
const RIDDLES = /\b(?:whoever|anew)\b/i;
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/)(?: |$)/;
/** The linter reads its comments from one line. */
const OF_LINTER = /^\s*\/\/ biome-ignore/;

const comments = ROOTS.flatMap((root) =>
  filesIn(root).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line, index) => ({ line, where: `${file}:${index + 1}: ${line.trim()}` }))
      .filter(({ line }) => COMMENT.test(line) && !OF_LINTER.test(line)),
  ),
);

function filesIn(root: string): string[] {
  return (
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      // The build writes the types of the API.
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('generated'))
      .map((name) => join(root, name))
  );
}

const found = (isBad: (line: string) => boolean) =>
  comments.filter(({ line }) => isBad(line)).map(({ where }) => where);

test('the comments are found', () => {
  for (const root of ROOTS) expect(comments.some(({ where }) => where.startsWith(root))).toBe(true);
  expect(comments.length).toBeGreaterThan(9_000);
});

test('no sentence of a comment begins a line without its subject', () => {
  expect(found((line) => WITHOUT_SUBJECT.test(line))).toEqual([]);
});

test.each(['/** What is stored. */', '  // Of a user.', '   * Whether it is read.', ' *Nobody.'])(
  'a comment such as %s has no subject',
  (line) => {
    expect(line).toMatch(WITHOUT_SUBJECT);
  },
);

test.each(['/** Returns what is stored. */', '// The user.', ' * Office hours.', 'Whatever();'])(
  'a line such as %s is allowed',
  (line) => {
    expect(line).not.toMatch(WITHOUT_SUBJECT);
  },
);

test('no comment has a word that has to be read twice', () => {
  expect(found((line) => RIDDLES.test(line))).toEqual([]);
});

test('every line of a comment fits its columns', () => {
  expect(found((line) => line.length > COLUMNS_MAX)).toEqual([]);
});
