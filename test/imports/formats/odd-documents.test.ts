import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { bsonDocuments } from '../../../src/imports/bson-stream.ts';
import { jsonElements } from '../../../src/imports/json-documents.ts';
import { jsonLines } from '../../../src/imports/json-stream.ts';
import { openGunzipped } from '../../../src/imports/sources/gunzipped.ts';
import { archiveOf } from './archive-in-memory.ts';

const MIB = 1024 * 1024;

/** Streams parts over and over, so that a long document takes no memory by itself. */
function streamOf(...parts: readonly (string | Buffer | readonly [part: string, count: number])[]) {
  return Readable.from(
    (function* () {
      for (const part of parts) {
        if (Array.isArray(part)) {
          const bytes = Buffer.from(String(part[0]).repeat(Math.ceil(65_536 / part[0].length)));
          const count = Number(part[1]);
          for (let at = 0; at < count; at += bytes.length) yield bytes.subarray(0, count - at);
        } else yield Buffer.isBuffer(part) ? part : Buffer.from(String(part));
      }
    })(),
    { objectMode: false },
  );
}

/** Reads all there is. Returns what came, and why it ended. */
async function readOf<Row>(rows: AsyncIterable<Row>): Promise<{ rows: Row[]; why: string }> {
  const found: Row[] = [];
  try {
    for await (const row of rows) found.push(row);
    return { rows: found, why: '' };
  } catch (error) {
    return { rows: found, why: (error as Error).message };
  }
}

const peak = () => process.memoryUsage().rss;

const outcome = (row: { readonly value: unknown } | { readonly why: string }) =>
  'why' in row ? row.why : row.value;

test('a string of 200 MB is left out without being held, and the next element is read', async () => {
  const before = peak();
  const stream = streamOf('[{"id":1},{"id":"', ['a', 200 * MIB], '"},{"id":3}]');
  const { rows, why } = await readOf(jsonElements(stream, ['$.*']));
  expect(rows.map(outcome)).toEqual([
    { id: 1 },
    `The element is larger than ${16 * MIB} bytes.`,
    { id: 3 },
  ]);
  expect(why).toBe('');
  expect(peak() - before).toBeLessThan(400 * MIB);
});

test('a number, a key and a list without end are bounded as well', async () => {
  for (const [begin, part] of [
    ['[', '1'],
    ['[{"', 'k'],
    ['[[', '1,'],
    ['[{"a":[', '{},'],
  ] as const) {
    const stream = streamOf(begin, [part, 8 * MIB]);
    const { why } = await readOf(jsonElements(stream, ['$.*'], { bytesMax: MIB }));
    expect(why, begin).toBe('The document ends before it is complete.');
  }
});

test('tables that are not read may be of any length', async () => {
  const other = ['{"a":1},', 480_000] as const;
  const stream = streamOf('{"other":[', other, '{}],"rows":[{"id":1}],"more":[', other, '{}]}');
  const { rows, why } = await readOf(jsonElements(stream, ['$.rows.*'], { bytesMax: 100_000 }));
  expect(why).toBe('');
  expect(rows.map(outcome)).toEqual([{ id: 1 }]);
});

test('a line of 200 MB is left out, and the next one is read', async () => {
  const before = peak();
  const stream = streamOf('{"id":1}\n', ['a', 200 * MIB], '\n{"id":3}\n');
  const { rows } = await readOf(jsonLines(stream));
  expect(rows).toEqual([
    { line: 1, value: { id: 1 } },
    { line: 2, why: `The line is larger than ${16 * MIB} bytes.` },
    { line: 3, value: { id: 3 } },
  ]);
  expect(peak() - before).toBeLessThan(200 * MIB);
});

test('an element or a line of 500 levels is left out', async () => {
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
  const found = await readOf(jsonElements(streamOf(`[1,${deep},2]`), ['$.*']));
  expect(found.rows.map(outcome)).toEqual([1, 'The element nests deeper than 200 levels.', 2]);
  const { rows } = await readOf(jsonLines(streamOf(`1\n${deep}\n2`)));
  expect(rows).toEqual([
    { line: 1, value: 1 },
    { line: 2, why: 'The line nests deeper than 200 levels.' },
    { line: 3, value: 2 },
  ]);
});

test('keys of objects are no prototypes', async () => {
  const stream = streamOf('[{"__proto__":{"admin":true},"constructor":1}]');
  const [value] = (await readOf(jsonElements(stream, ['$.*']))).rows.map(outcome);
  expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

const lengthOf = (bytes: number): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32LE(bytes);
  return length;
};

test.each([-1, 0, 4, 17 * MIB, 2 ** 31 - 1])(
  'a document of BSON of %i bytes ends the file',
  async (bytes) => {
    const stream = streamOf(Buffer.from(serialize({ a: 1 })), lengthOf(bytes), ['a', MIB]);
    const { rows, why } = await readOf(bsonDocuments(stream));
    expect(rows).toEqual([{ line: 1, value: { a: 1 } }]);
    expect(why).toBe(`Document 2 cannot be ${bytes} bytes long.`);
  },
);

test('a document of BSON that is odd within is left out, and the next one is read', async () => {
  const good = Buffer.from(serialize({ a: 1 }));
  const text = Buffer.from(serialize({ a: 'text' }));
  const long = Buffer.from(text);
  long.writeInt32LE(2 ** 30, 7);
  const shorter = Buffer.from(text);
  shorter.writeInt32LE(-5, 7);
  const typed = Buffer.from(text);
  typed[4] = 0x7e;
  const list = Buffer.from(serialize({ a: [1, { b: 2 }] }));
  list.writeInt32LE(1_000, 7);
  const open = Buffer.from(good);
  open[open.length - 1] = 7;
  for (const odd of [long, shorter, typed, list, open]) {
    const { rows, why } = await readOf(bsonDocuments(streamOf(good, odd, good)));
    expect(why).toBe('');
    expect(rows.map((row) => ('why' in row ? row.why : row.value))).toEqual([
      { a: 1 },
      'The document is not BSON.',
      { a: 1 },
    ]);
  }
});

test('a deep document of BSON neither crashes nor hides the next one', async () => {
  let deep: Buffer = Buffer.from(serialize({}));
  for (let level = 0; level < 50_000; level += 1) {
    // A document within a document: its length, its type, an empty name, and the end.
    deep = level % 1_000 === 0 ? nested(deep, 1_000) : deep;
  }
  const { rows, why } = await readOf(
    bsonDocuments(streamOf(deep, Buffer.from(serialize({ a: 1 })))),
  );
  expect(why).toBe('');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toEqual({ line: 2, value: { a: 1 } });
});

function nested(inner: Buffer, levels: number): Buffer {
  const heads: Buffer[] = [];
  for (let level = levels; level > 0; level -= 1) {
    const length = inner.length + level * 7;
    heads.push(lengthOf(length), Buffer.from([3, 0]));
  }
  return Buffer.concat([...heads, inner, Buffer.alloc(levels)]);
}

test('a packed file that is cut off or becomes too large fails with a sentence', async () => {
  const whole = gzipSync('x'.repeat(100_000));
  const cut = archiveOf({ 'a.gz': whole.subarray(0, 60) });
  const first = await readOf(await openGunzipped(cut, 'a.gz'));
  expect(first.why).toMatch(/^a\.gz is damaged: unexpected end of file/);
  const zeros = gzipSync(Buffer.alloc(257 * MIB), { level: 1 });
  const bomb = { ...archiveOf({ 'a.gz': zeros }), size: () => 1_000 };
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of await openGunzipped(bomb, 'a.gz')) bytes += chunk.length;
  })();
  await expect(reading).rejects.toThrow(/200 times larger/);
  expect(bytes).toBeLessThanOrEqual(256 * MIB);
});
