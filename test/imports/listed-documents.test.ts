import { expect, test } from 'vitest';
import { HISTORY_LIST_BYTES_MAX } from '../../src/domain/limits/archives.ts';
import type { JsonElement } from '../../src/imports/json-documents.ts';
import { jsonElements } from '../../src/imports/json-documents.ts';
import { listElements } from '../../src/imports/sources/listed-documents.ts';
import { archiveOf } from './formats/archive-in-memory.ts';

const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Returns the elements, and the error that came after them. */
async function elementsIn(elements: AsyncIterable<JsonElement>) {
  const found: unknown[] = [];
  try {
    for await (const { within: _, key, ...rest } of elements) found.push([key, rest]);
  } catch (error) {
    return { found, error: String(error) };
  }
  return { found, error: null };
}

test.each([
  ['a short list', '[{"a": 1}, 2, "three", null, [4]]', 5],
  ['no element', '[]', 0],
  ['an object', '{"a": 1, "b": [2]}', 2],
  ['a list that ends early', '[{"a": 1}, {"b": 2}, {"c":', 2],
  ['a list with a wrong sign', '[{"a": 1}, }]', 1],
  ['a list that is deep', `[1, ${deep(100)}]`, 2],
  ['a list that is too deep', `[1, ${deep(300)}]`, 2],
  ['a list with a broken element', '[{"a": 1}, {"b" 2}, {"c": 3}]', 3],
  ['nothing', '', 0],
  ['a long list', JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(60_000))), 20],
])('%s gives what its reading element by element gives', async (_, text, count) => {
  const archive = archiveOf({ 'a.json': text });
  const expected = await elementsIn(jsonElements(await archive.open('a.json'), ['$.*']));
  expect(await elementsIn(listElements(archive, 'a.json'))).toEqual(expected);
  expect(expected.found).toHaveLength(count);
});

test('a list that is too long to be parsed at once is read in pieces', async () => {
  const archive = archiveOf({
    'a.json': JSON.stringify(['x'.repeat(HISTORY_LIST_BYTES_MAX), 'y']),
  });
  let opened = 0;
  const counting = {
    ...archive,
    open: (entry: string) => {
      opened += 1;
      return archive.open(entry);
    },
  };
  const { found } = await elementsIn(listElements(counting, 'a.json'));
  expect(found).toHaveLength(2);
  expect(opened).toBe(1);
});
