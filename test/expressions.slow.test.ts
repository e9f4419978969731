import { afterAll, expect, test } from 'vitest';
import { HIGHLIGHTED_LINE_LENGTH_MAX } from '../src/domain/limits/markdown.ts';
import { NAMED } from '../src/imports/formats/zulip/contents.ts';
import { EMOJI } from '../src/markdown/emoji/characters.ts';
import { EXTERNAL_CONTENT_PATH } from '../src/operations/files/external-content.ts';
import { type Attacked, newAttacker } from './support/expressions/attacking.ts';
import { expressionsIn } from './support/expressions/expressions.ts';

/** Expressions that would be slow on a long text, and why none reaches them. */
const EXCEPTIONS: readonly { file: string; pattern: string; reason: string }[] = [
  {
    file: 'src/domain/scim/filter.ts',
    pattern: String.raw`[()[\]]|-?\d[\d.eE+-]*|\.?[A-Za-z$][\w$:.-]*`,
    reason: 'It is asked once for each token, at its place, of a filter of 2,048 characters.',
  },
];

/**
 * Files whose expressions are sticky and belong to rules for blocks: each is tried once where a
 * line begins, behind the markers around it.
 */
const OF_LINES: ReadonlySet<string> = new Set([
  'src/markdown/blocks/fences.ts',
  'src/markdown/blocks/lists.ts',
  'src/markdown/parser.ts',
]);

/**
 * Expressions that are put together at run time, by their text in the source. Each has the
 * expressions that come of it there; none if it takes linear time anyway.
 */
const CONSTRUCTIONS: Readonly<Record<string, readonly RegExp[]>> = {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are the texts of the source.
  "new RegExp(`${EXTERNAL_CONTENT_PATH}[0-9a-f]{64}/([0-9a-f]+)`, 'g')": [
    new RegExp(`${EXTERNAL_CONTENT_PATH}[0-9a-f]{64}/([0-9a-f]+)`, 'g'),
  ],
  'new RegExp( `^${EXTERNAL_CONTENT_PATH}(?<signature>[0-9a-f]{64})/(?<hex>(?:[0-9a-f]{2})+)$`, )':
    [new RegExp(`^${EXTERNAL_CONTENT_PATH}(?<signature>[0-9a-f]{64})/(?<hex>(?:[0-9a-f]{2})+)$`)],
  "new RegExp( String.raw`[0-9#*]\\ufe0f\\u20e3|\\p{Regional_Indicator}{2}|${CHARACTER}(?:\\u200d${CHARACTER}){0,5}`, 'gu', )":
    [EMOJI],
  'new RegExp(`[^\\\\n]{${HIGHLIGHTED_LINE_LENGTH_MAX + 1}}`)': [
    new RegExp(`[^\\n]{${HIGHLIGHTED_LINE_LENGTH_MAX + 1}}`),
  ],
  "new RegExp(NAMES, 'g')": [NAMED],
  "new RegExp(`^${name}[ \\\\t]*:(.*(?:\\\\r?\\\\n[ \\\\t].*)*)`, 'im')": [
    /^content-type[ \t]*:(.*(?:\r?\n[ \t].*)*)/im,
  ],
  "new RegExp(`^--${escaped}(--)?[ \\\\t]*(?:\\\\r?\\\\n|$)`, 'gm')": [
    /^--boundary(--)?[ \t]*(?:\r?\n|$)/gm,
  ],
  // These are paths of the API with parameters, between slashes or within words.
  "new RegExp(`^${pattern.replace(/\\/$/, '/?')}$`)": [
    /^\/a\/(?<one>[^/]+)\/(?<two>[A-Za-z0-9]+)\/?$/,
    /^\/a\/(?<one>[A-Za-z0-9]+)-(?<two>[A-Za-z0-9]+)\.png$/,
  ],
  // The engine takes linear time, and LINKIFIER_WORK_MAX bounds the steps.
  'RE2JS.compile(pattern)': [],
  'engine().RE2JS.compile(`${BEFORE}(${linkifier.pattern})${AFTER}`)': [],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the end of them.
};

const { literals, constructions } = expressionsIn(['src', 'actors', 'storage']);
const attacker = newAttacker();
/**
 * Waits only a second for an expression that is expected to be slow: by then it has shown that it
 * is.
 */
const impatient = newAttacker({ waitedMs: 1_000 });
afterAll(async () => {
  await attacker.end();
  await impatient.end();
});

/** Returns a text that names an expression which is slow, and undefined for one that is not. */
async function complaintOf(where: string, attacked: Attacked): Promise<string | undefined> {
  const slow = await attacker.slowOn(attacked);
  if (slow === undefined) return undefined;
  const { head, pump, tail } = slow.attack;
  const text = `${JSON.stringify(head)}, ${JSON.stringify(pump)} over and over, ${JSON.stringify(tail)}`;
  const time = slow.ms === undefined ? 'does not end' : `takes ${Math.round(slow.ms)} ms`;
  return `${where}: /${attacked.pattern}/${attacked.flags} ${time} on ${text}`;
}

const isException = ({ file, pattern }: { file: string; pattern: string }) =>
  EXCEPTIONS.some((known) => known.file === file && known.pattern === pattern);

/** Each of some hundred expressions is attacked for a tenth of a second. */
const ATTACKS_MS_MAX = 240_000;

test(
  'no expression of the source is slow on a long text',
  async () => {
    const complaints: (string | undefined)[] = [];
    for (const { file, pattern, flags } of literals) {
      if (isException({ file, pattern })) continue;
      complaints.push(await complaintOf(file, { pattern, flags, isOfLines: OF_LINES.has(file) }));
    }
    expect(literals.length).toBeGreaterThan(200);
    expect(complaints.filter((one) => one !== undefined)).toEqual([]);
  },
  ATTACKS_MS_MAX,
);

test('neither is one that is put together', async () => {
  const complaints: (string | undefined)[] = [];
  for (const { file, source } of constructions) {
    const made = CONSTRUCTIONS[source];
    if (made === undefined) complaints.push(`${file}: nobody has said what ${source} makes`);
    for (const { source: pattern, flags } of made ?? []) {
      complaints.push(await complaintOf(file, { pattern, flags }));
    }
  }
  expect(complaints.filter((one) => one !== undefined)).toEqual([]);
});

test('each exception is of an expression that is there, and slow', async () => {
  for (const { file, pattern } of EXCEPTIONS) {
    const literal = literals.find((one) => one.file === file && one.pattern === pattern);
    expect(literal, `${file} has no /${pattern}/ any more`).toBeDefined();
    expect(await impatient.slowOn({ pattern, flags: literal?.flags ?? '' })).toBeDefined();
  }
});

test.each([
  [/\s*\n\s*/g, 'blanks from each of which it looks for a line break'],
  [/<a [^>]*href="/, 'beginnings that are never ended'],
  [/<(\/?)([a-z][a-z0-9-]*)([^>]*)>/, 'two repetitions of the same characters'],
  [/[*~]+$/, 'a run before an end that does not come'],
  [/^.*\.[\w.]+$/, 'two repetitions that share a character'],
  [/(?:a|aa)+b/, 'two ways for the same text, which do not end'],
  [/<!--[\s\S]*?-->/g, 'openings without an end'],
])('the attacks find %s: %s', async ({ source: pattern, flags }) => {
  expect(await impatient.slowOn({ pattern, flags })).toBeDefined();
});
