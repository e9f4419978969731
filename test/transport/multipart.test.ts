import { Busboy } from '@fastify/busboy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  MULTIPART_BOUNDARY_LENGTH_MAX,
  MULTIPART_HEAD_BYTES_MAX,
} from '../../src/domain/limits/files.ts';
import { openMultipart } from '../../src/transport/multipart.ts';
import { runs } from '../support/runs.ts';

const RUNS = runs({ few: 400, all: 2_000 });

interface Part {
  readonly name: string;
  readonly filename: string | null;
  readonly contentType: string;
  readonly content: string;
}

/** The parts of a body that comes in chunks of these lengths, again and again. */
function partsOf(body: Buffer, boundary: string, lengths: readonly number[]): Part[] {
  const reader = openMultipart(`multipart/form-data; boundary="${boundary}"`);
  const parts: { name: string; filename: string | null; contentType: string; chunks: Buffer[] }[] =
    [];
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    for (const piece of reader.push(body.subarray(at, at + length))) {
      if ('bytes' in piece) parts.at(-1)?.chunks.push(Buffer.from(piece.bytes));
      else parts.push({ ...piece, chunks: [] });
    }
    at += length;
  }
  reader.end();
  return parts.map(({ chunks, ...head }) => ({
    ...head,
    content: Buffer.concat(chunks).toString('latin1'),
  }));
}

/**
 * Returns the parts as another reader has them: a library that refuses less, and reads well-formed
 * bodies alike.
 */
function partsByLibrary(body: Buffer): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const parts: { head: Omit<Part, 'content'>; chunks: Buffer[] }[] = [];
    const library = new Busboy({
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      isPartAFile: () => true,
      preservePath: true,
    });
    library.on('file', (name, stream, filename, _encoding, contentType) => {
      const part = {
        head: { name, filename: filename ?? null, contentType },
        chunks: [] as Buffer[],
      };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => part.chunks.push(chunk));
    });
    library.on('error', reject);
    library.on('finish', () =>
      resolve(
        parts.map(({ head, chunks }) => ({
          ...head,
          content: Buffer.concat(chunks).toString('latin1'),
        })),
      ),
    );
    library.end(body);
  });
}

const whole = (body: string, boundary = 'b') => partsOf(Buffer.from(body), boundary, [body.length]);

test('whatever the parts hold and however they are cut, they come as they were', () => {
  // Contents that look like delimiters are what a reader in pieces gets wrong.
  const content = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '--b', '\r\n--', '\r\n--c', 'x'))
    .map((pieces) => pieces.join(''))
    .filter((text) => !`\r\n${text}\r\n`.includes('\r\n--b'));
  fc.assert(
    fc.property(
      fc.array(content, { minLength: 1, maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      fc.constantFrom('', 'a preamble\r\n'),
      (contents, lengths, preamble) => {
        const parts = contents.map(
          (text, index) =>
            `--b\r\ncontent-disposition: form-data; name="f"; filename="${index}"\r\n\r\n${text}\r\n`,
        );
        const body = Buffer.from(`${preamble}${parts.join('')}--b--\r\nan epilogue`);
        expect(partsOf(body, 'b', lengths).map((part) => part.content)).toEqual(contents);
      },
    ),
    { seed: 20_261_121, numRuns: 500 },
  );
});

test('well-formed bodies are read as a library reads them', async () => {
  const name = fc.string({ unit: fc.constantFrom(...'abcä 🗑;=.-_') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          name,
          filename: fc.option(name),
          contentType: fc.constantFrom('text/plain', 'image/png'),
          content: fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'b', '\0', 'é') }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (parts, lengths) => {
        const texts = parts.map(({ name, filename, contentType, content }) => {
          const file = filename === null ? '' : `; filename="${filename}"`;
          const head = `Content-Disposition: form-data; name="${name}"${file}\r\nContent-Type: ${contentType}`;
          return `--b\r\n${head}\r\n\r\n${content}\r\n`;
        });
        fc.pre(parts.every(({ content }) => !`\r\n${content}\r\n`.includes('\r\n--b')));
        const body = Buffer.from(`${texts.join('')}--b--\r\n`);
        expect(partsOf(body, 'b', lengths)).toEqual(await partsByLibrary(body));
      },
    ),
    { seed: 20_261_124, numRuns: 300 },
  );
});

/** Bodies of what a reader looks for, in any order, with any of it left out or cut off. */
const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '\r',
        '\n',
        '\r\n',
        '-',
        '--',
        '--b',
        '--b\r\n',
        '\r\n--b',
        '\r\n--b\r\n',
        '\r\n--b--',
        ' ',
        ':',
      ],
      ...[
        '\r\n\r\n',
        'x',
        '"',
        '\\',
        ';',
        '\xff',
        '\0',
        'Content-Disposition: form-data; name="f"\r\n\r\n',
      ],
      'Content-Disposition: form-data; filename="',
      "content-disposition: form-data; filename*=utf-8''%ff",
    ),
    { maxLength: 30 },
  )
  .map((pieces) => Buffer.from(`--b\r\n${pieces.join('')}`, 'latin1'));

test('whatever a body holds, it is refused or read, and that alike however it is cut', () => {
  const outcome = (body: Buffer, lengths: readonly number[]) => {
    try {
      return partsOf(body, 'b', lengths);
    } catch (error) {
      // Any other error would be a bug of this server, and be logged as one.
      expect(error).toMatchObject({ code: 'BAD_REQUEST' });
      return 'refused';
    }
  };
  const seen = { read: 0, refused: 0 };
  fc.assert(
    fc.property(
      hostile,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      fc.boolean(),
      (begun, lengths, isEnded) => {
        const body = isEnded ? Buffer.concat([begun, Buffer.from('\r\n--b--')]) : begun;
        const atOnce = outcome(body, [body.length]);
        seen[atOnce === 'refused' ? 'refused' : 'read'] += 1;
        expect(outcome(body, lengths)).toEqual(atOnce);
        expect(outcome(body, [1])).toEqual(atOnce);
      },
    ),
    { seed: 20_261_124, numRuns: RUNS },
  );
  // Both outcomes are frequent, so the property says something of each.
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(RUNS / 10);
});

test('bytes that are no delimiter are handed on with the chunk that brings them, but for a beginning of one', () => {
  const reader = openMultipart('multipart/form-data; boundary=b');
  reader.push(Buffer.from('--b\r\n\r\n'));
  const delimiter = '\r\n--b';
  let sent = 0;
  let given = 0;
  for (const text of ['x'.repeat(1_000_000), '\r\n--'.repeat(1_000), '\r'.repeat(1_000), '\r\n-']) {
    sent += text.length;
    for (const piece of reader.push(Buffer.from(text)))
      given += 'bytes' in piece ? piece.bytes.length : 0;
    expect(sent - given).toBeLessThan(delimiter.length);
  }
});

test.each([
  { disposition: 'form-data; name="f"; filename="a.txt"', filename: 'a.txt' },
  { disposition: 'form-data; name="f"; FILENAME=a.txt', filename: 'a.txt' },
  { disposition: 'form-data; filename="a \\"b\\" c"; name=f', filename: 'a "b" c' },
  { disposition: 'form-data; name="f"; filename="a%22b"', filename: 'a"b' },
  { disposition: 'form-data; name="f"; filename="C:\\fakepath\\a"', filename: 'C:\\fakepath\\a' },
  { disposition: 'form-data; name="f"; filename=""', filename: '' },
  { disposition: "form-data; name=f; filename*=utf-8''m%C3%BCll", filename: 'müll' },
  { disposition: 'form-data; name="f"; filename="müll 🗑"', filename: 'müll 🗑' },
  { disposition: 'form-data; name="filename"', filename: null, name: 'filename' },
  { disposition: 'form-data; filename="x"', filename: 'x', name: '' },
])('the name of a file is found: $disposition', ({ disposition, filename, name = 'f' }) => {
  const body = `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/x\r\n\r\ny\r\n--b--`;
  expect(whole(body)).toEqual([{ name, filename, contentType: 'text/x', content: 'y' }]);
});

test('a part may have no heads, and a boundary blanks behind it', () => {
  expect(whole('--b \t\r\n\r\nx\r\n--b--')).toEqual([
    { name: '', filename: null, contentType: '', content: 'x' },
  ]);
});

test.each([
  ['nothing', ''],
  ['no delimiter', 'hello'],
  ['a delimiter alone', '--b'],
  ['a head without end', '--b\r\nContent-Type: x\r\n'],
  ['a part without end', '--b\r\n\r\nx'],
  ['something behind a boundary', '--bx\r\n\r\nx\r\n--b--'],
  ['blanks without end', `--b${' '.repeat(1_000)}`],
])('a body that is not one is refused: %s', (_, body) => {
  expect(() => whole(body)).toThrow(/malformed/);
});

test('a head may be so long, and no longer', () => {
  const head = 'content-type: ';
  const bodyOf = (bytes: number) =>
    `--b\r\n${head}${'x'.repeat(bytes - head.length - 2)}\r\n\r\ny\r\n--b--`;
  expect(whole(bodyOf(MULTIPART_HEAD_BYTES_MAX))).toHaveLength(1);
  expect(() => whole(bodyOf(MULTIPART_HEAD_BYTES_MAX + 1))).toThrow(/malformed/);
  const endless = openMultipart('multipart/form-data; boundary=b');
  endless.push(Buffer.from('--b\r\n'));
  expect(() => endless.push(Buffer.alloc(MULTIPART_HEAD_BYTES_MAX + 1, 'x'))).toThrow(/malformed/);
});

test.each([
  ['', false],
  ['; boundary=', false],
  ['; boundary=""', false],
  [`; boundary=${'x'.repeat(MULTIPART_BOUNDARY_LENGTH_MAX)}`, true],
  [`; boundary=${'x'.repeat(MULTIPART_BOUNDARY_LENGTH_MAX + 1)}`, false],
  ['; charset=utf-8; Boundary="a b"', true],
])('a boundary is what a type says: %s', (rest, isOne) => {
  const open = () => openMultipart(`multipart/form-data${rest}`);
  if (isOne) expect(open).not.toThrow();
  else expect(open).toThrow(/malformed/);
});
