import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { slack } from '../../src/imports/formats/slack/slack.ts';
import { zulip } from '../../src/imports/formats/zulip/zulip.ts';
import { jsonElements } from '../../src/imports/json-documents.ts';
import { openRandom, type Random } from '../support/random.ts';
import { runNumbers } from '../support/runs.ts';
import { leftOut, rowsOf, rowsOfKind } from './formats/archive-in-memory.ts';

/** Cuts a text at random, within characters and escapes as well. */
function* cut(text: string, random: Random): Generator<Buffer> {
  const bytes = Buffer.from(text);
  const longest = random.pick([1, 7, 100, 5_000]);
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random.below(longest);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

interface Read {
  readonly values: unknown[];
  /** The keys of those that are left out. */
  readonly left: unknown[];
  readonly why: string;
}

async function read(
  parts: Iterable<Buffer>,
  { paths = ['$.*'], bytesMax = 1024 * 1024 }: { paths?: string[]; bytesMax?: number } = {},
): Promise<Read> {
  const [values, left]: [unknown[], unknown[]] = [[], []];
  try {
    const stream = Readable.from(parts, { objectMode: false });
    for await (const element of jsonElements(stream, paths, { bytesMax })) {
      if ('why' in element) left.push(element.key);
      else values.push(element.value);
    }
  } catch (error) {
    return { values, left, why: (error as Error).message };
  }
  return { values, left, why: '' };
}

const SIGNS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  "'",
  ' ',
  'a',
  '7',
  '\n',
  '\u0007',
  'é🎉',
] as const;

const textAt = (random: Random): string =>
  Array.from({ length: random.below(12) }, () => random.pick(SIGNS)).join('');

/** A value such as stands within messages; lists of objects with an id are among them. */
function valueAt(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 4 : 7);
  if (kind === 0) return random.below(1_000) - 500;
  if (kind === 1) return random.pick([null, true, false, 1e300, -0.5]);
  if (kind <= 3) return textAt(random);
  const length = random.below(4);
  if (kind === 4) return Array.from({ length }, () => valueAt(random, depth + 1));
  if (kind === 5) return Array.from({ length }, (_, id) => ({ id, name: textAt(random) }));
  return Object.fromEntries(
    Array.from({ length }, () => [textAt(random), valueAt(random, depth + 1)]),
  );
}

const elementAt = (random: Random, id: number) => ({
  id,
  text: textAt(random),
  author: { id: random.below(9), name: textAt(random) },
  ...(random.chance(0.5) && { more: valueAt(random, 0) }),
  ...(random.chance(0.5) && { reactions: valueAt(random, 0) }),
  at: random.below(1_000),
});

/** How documents are printed: with indentation, an element a line, or without any blanks. */
interface Print {
  readonly name: string;
  readonly element: (value: unknown) => string;
  readonly open: string;
  readonly between: string;
  readonly close: string;
}

const pretty = (name: string, blanks: string, end = '\n'): Print => ({
  name,
  element: (value) =>
    JSON.stringify([value], null, blanks).slice(2, -2).trim().replaceAll('\n', end),
  open: `[${end}${blanks}`,
  between: `,${end}${blanks}`,
  close: `${end}]`,
});

const PRETTY = [
  pretty('two blanks', '  '),
  pretty('four blanks', '    '),
  pretty('tabs', '\t'),
  pretty('lines of Windows', '  ', '\r\n'),
] as const;
const flat = (name: string, between: string): Print => ({
  name,
  element: (value) => JSON.stringify(value),
  open: '[',
  between,
  close: ']',
});
const FLAT = [flat('no blanks', ','), flat('blanks', ', '), flat('lines', ',\n')] as const;

const listOf = (print: Print, elements: readonly string[]): string =>
  `${print.open}${elements.join(print.between)}${print.close}`;

/** Changes, removes or adds one sign of an element. */
function mutated(element: string, random: Random, from: number): string {
  const at = from + random.below(element.length - from);
  const sign = random.pick(SIGNS);
  return random.pick([
    `${element.slice(0, at)}${sign}${element.slice(at + 1)}`,
    `${element.slice(0, at)}${element.slice(at + 1)}`,
    `${element.slice(0, at || 1)}${sign}${element.slice(at || 1)}`,
  ]);
}

interface Mutated {
  readonly text: string;
  readonly intact: unknown[];
  /** The values of broken ones that are JSON after all. */
  readonly changed: unknown[];
}

function documentOf(print: Print, random: Random): Mutated {
  const [intact, changed]: [unknown[], unknown[]] = [[], []];
  const elements = Array.from({ length: 2 + random.below(12) }, (_, id) => {
    const value = elementAt(random, id);
    const text = print.element(value);
    if (!random.chance(0.25)) {
      intact.push(JSON.parse(text));
      return text;
    }
    const other = mutated(text, random, id === 0 ? text.indexOf('"') : 0);
    try {
      changed.push(...JSON.parse(Buffer.from(`[${other}]`).toString()));
    } catch {
      // It is no JSON.
    }
    return other;
  });
  return { text: listOf(print, elements), intact, changed };
}

const shown = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

const SEEDS = runNumbers({ few: 200, all: 20_000 });

/**
 * Reads documents at random, of which nothing may come but elements, in their order. Returns how
 * many of those that are intact have come, of one.
 */
async function partThatCame(prints: readonly [Print, ...Print[]]): Promise<number> {
  let [sound, come] = [0, 0];
  for (const seed of SEEDS) {
    const random = openRandom(seed);
    const print = random.pick(prints);
    const { text, intact, changed } = documentOf(print, random);
    const found = await read(cut(text, random));
    const others = shown(changed);
    const values = shown(found.values).filter((value) => !others.includes(value));
    const expected = shown(intact);
    const inOrder = expected.filter((value) => values.includes(value));
    expect(values, `seed ${seed}, ${print.name}, ${found.why}`).toEqual(inOrder);
    sound += expected.length;
    come += inOrder.length;
  }
  return come / sound;
}

test('with indentation the elements that are intact come out, and nothing else', async () => {
  expect(await partThatCame(PRETTY)).toBeGreaterThan(0.98);
});

test('without indentation most of them come out, and nothing else', async () => {
  expect(await partThatCame(FLAT)).toBeGreaterThan(0.65);
});

const MESSAGES = Array.from({ length: 4 }, (_, id) => ({
  id,
  text: 'x',
  to: [{ id: 7 }, { id: 8 }],
}));

/** A list of them, the second of which is broken. */
const broken = (text: string, from: string, to: string) => {
  const second = text.search(/"id": ?1/);
  return `${text.slice(0, second)}${text.slice(second).replace(from, to)}`;
};

test.each([
  ['a bare word', '"x"', 'x'],
  ['a missing colon', '"text":', '"text" '],
  ['a missing comma', ',"to"', ' "to"'],
  ['a trailing comma', '}]}', '}],}'],
  ['single quotes', '"x"', "'x'"],
  ['NaN', '"x"', 'NaN'],
  ['a control character', '"x"', '"\u0001"'],
  ['a bad escape', '"x"', '"\\x"'],
])('%s loses its element, and no other one', async (_, from, to) => {
  const text = broken(JSON.stringify(MESSAGES), from, to);
  expect(await read([Buffer.from(text)])).toEqual({
    values: MESSAGES.filter(({ id }) => id !== 1),
    left: [1],
    why: '',
  });
});

test.each([
  ['a string without end', '"x"', '"x'],
  ['an object without end', '  },', ','],
  ['a list without end', '    ]\n', '\n'],
  ['a bracket too many in the middle', '"to": [', '"to": [ ],'],
  ['a bracket too many at the end', '    ]\n', '    ]}\n'],
])('with indentation %s loses its element, and no other one', async (_, from, to) => {
  const text = broken(JSON.stringify(MESSAGES, null, 2), from, to);
  expect(await read([Buffer.from(text)])).toEqual({
    values: MESSAGES.filter(({ id }) => id !== 1),
    left: [1],
    why: '',
  });
});

test('without indentation an element whose brackets do not match ends the document', async () => {
  const text = broken(JSON.stringify(MESSAGES), '}]}', '}}');
  expect(await read([Buffer.from(text)])).toEqual({
    values: MESSAGES.filter(({ id }) => id === 0),
    left: [],
    why: 'The document is not JSON: brackets do not match.',
  });
});

test('a table of an object ends where its last row is broken, and the next one is read', async () => {
  const text = JSON.stringify({ a: [{ id: 1 }, { id: 2 }], b: [{ id: 3 }], c: 4 }, null, 2);
  for (const [from, to] of [
    ['"id": 2', '"id: 2'],
    ['"id": 2', '"id": {'],
    ['"id": 2', '"id": ]'],
  ] as const) {
    const parts = [Buffer.from(text.replace(from, to))];
    const { values, left, why } = await read(parts, { paths: ['$.a.*', '$.b.*', '$.c'] });
    expect({ values, left, why }, to).toEqual({
      values: [{ id: 1 }, { id: 3 }, 4],
      left: [1],
      why: '',
    });
  }
});

test('a list may be longer than its elements, beside other paths', async () => {
  const messages = Array.from({ length: 100 }, (_, id) => ({ id, text: 'x'.repeat(50) }));
  const text = JSON.stringify({ guild: { id: '9' }, messages, messageCount: 100 });
  const paths = ['$.guild', '$.messages.*', '$.messageCount'];
  const { values, why } = await read([Buffer.from(text)], { paths, bytesMax: 200 });
  expect([values, why]).toEqual([[{ id: '9' }, ...messages, 100], '']);
});

test('a document that is indented at will is read as a whole', async () => {
  const text =
    '[\n  {\n    "id": 1, "to": [\n  {\n"id": 2},\n  {\n"id": 3}]},\n      {"id": 4}, {"id": 5}\n ]';
  const { values, left } = await read([Buffer.from(text)]);
  expect(values).toEqual(JSON.parse(text));
  expect(left).toEqual([]);
});

test.each(['{', '[', '"', '},{', '[{"a":"', '{"a":1,', '\\"', '},\n{\n'])(
  'a long document of %j has an end, and few lines in the report',
  async (sign) => {
    const bytes = Buffer.from(sign.repeat(Math.ceil((1024 * 1024) / sign.length)));
    for (const start of ['[', '[{"a":1,"b":2},{"a":3,"b":4},', '[\n  {\n    "a": 1\n  },\n  {']) {
      const found = await read([Buffer.from(start), bytes], { bytesMax: 64 * 1024 });
      const values = found.values.filter((value) => JSON.stringify(value) !== '{}');
      expect(values.length, start).toBeLessThan(3);
      expect(found.left.length, start).toBeLessThan(3);
      expect(found.why, start).toMatch(/^The document .*\.$/);
    }
  },
);

test('formats list a broken row by its number, and read those behind it', async () => {
  const rows = (texts: string[]) => `[${texts.join(', ')}]`;
  const user = (id: string) => JSON.stringify({ id, name: id });
  const post = (user: string, ts: string) => JSON.stringify({ user, ts, text: 'x' });
  const found = await rowsOf(slack, {
    'users.json': rows([user('U1'), '{"id" "U3"}', user('U2')]),
    'channels.json': rows(['{"id": tea}', '{"id": "C1", "name": "tea", "members": ["U1"]}']),
    'tea/2024-01-02.json': rows([
      post('U1', '1704189600.1'),
      "{'user'}",
      post('U2', '1704189600.9'),
    ]),
  });
  expect(leftOut(found)).toEqual([
    ['users.json:2', 'The element is not JSON.'],
    ['channels.json:1', 'The element is not JSON.'],
    ['tea/2024-01-02.json:2', 'The element is not JSON.'],
  ]);
  expect(rowsOfKind(found, 'user').map(({ id }) => id)).toEqual(['U1', 'U2']);
  expect(rowsOfKind(found, 'message')).toHaveLength(2);

  const organization = await rowsOf(zulip, {
    'realm.json': `{"zerver_userprofile": [{"id": 1, "full_name": "Ann"}, {"id": x}],
      "zerver_stream": [{"id": 10, "name": "tea"}],
      "zerver_recipient": [{"id": 20, "type": 2, "type_id": 10}]}`,
    'avatars/records.json': '[{"user_profile_id": 1 "path": "a.png"}, {}]',
  });
  expect(leftOut(organization)).toEqual([
    ['avatars/records.json:1', 'The element is not JSON.'],
    ['realm.json:2', 'The element is not JSON.'],
  ]);
});
