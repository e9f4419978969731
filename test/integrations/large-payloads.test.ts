import { expect, test } from 'vitest';
import {
  PAYLOAD_BYTES_MAX,
  PAYLOAD_ITEMS_MAX,
  PAYLOAD_VALUES_MAX,
} from '../../src/domain/limits/bots.ts';
import { MESSAGE_LENGTH_MAX } from '../../src/domain/limits/messages.ts';
import {
  INTEGRATION_NAMES,
  INTEGRATIONS,
  type IntegrationName,
} from '../../src/integrations/integrations.ts';
import { parsedPayload } from '../../src/integrations/payload.ts';

const BLANKS = ' \n'.repeat(PAYLOAD_BYTES_MAX / 8);
const piece = (text: string) => ({ type: 'text', text });
const section = (elements: unknown[]) => ({ type: 'rich_text_section', elements });
const rich = (...elements: unknown[]) => ({ blocks: [{ type: 'rich_text', elements }] });
const many = <T>(one: T, count: number): T[] => Array.from({ length: count }, () => one);
const BLOCK_OF_TEXT = { type: 'section', text: { type: 'mrkdwn', text: '*a* '.repeat(1_000) } };

/** Payloads that are as large as they may be, each in another way. */
const LARGE: Readonly<Record<string, unknown>> = {
  'one text': { text: 'a'.repeat(PAYLOAD_BYTES_MAX - 100) },
  'one text of blanks': { text: BLANKS },
  'code of blanks': rich({ type: 'rich_text_preformatted', elements: [piece(BLANKS)] }),
  'a list of blanks': rich({
    type: 'rich_text_list',
    elements: many(section(many(piece(` ${' \n'.repeat(500)}`), 30)), 30),
  }),
  'blocks of text': { blocks: many(BLOCK_OF_TEXT, 900) },
  'attachments of blocks of text': { attachments: many({ blocks: many(BLOCK_OF_TEXT, 30) }, 30) },
  'attachments of nothing': { attachments: many({}, PAYLOAD_VALUES_MAX / 2 - 10) },
  'commits of nothing': {
    ref: 'refs/heads/main',
    repository: { name: 'a' },
    commits: many({}, PAYLOAD_VALUES_MAX / 2 - 10),
  },
};

/**
 * Milliseconds of the processor: about ten times as long as they take, and a fraction of the time
 * of code that takes quadratic time.
 */
const ALLOWED_MS = 1_500;

const cases = Object.entries(LARGE).flatMap(([name, payload]) =>
  INTEGRATION_NAMES.map((service) => ({ service, name, text: JSON.stringify(payload) })),
);

test.each(cases)('$service cuts $name before it makes a message of it', ({ service, text }) => {
  expect(text.length).toBeLessThan(PAYLOAD_BYTES_MAX);
  const started = process.cpuUsage();
  const content = contentOf(service, text);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(ALLOWED_MS);
  expect([...content].length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
});

/** Returns the text of the message; it is empty for a refusal, which takes no longer. */
function contentOf(service: IntegrationName, text: string): string {
  const payload = parsedPayload(text);
  try {
    return INTEGRATIONS[service].notice(payload, 'push').content;
  } catch {
    return '';
  }
}

test('no text of a payload is longer than a message, and no list is longer than anybody reads', () => {
  const long = 'a'.repeat(3 * MESSAGE_LENGTH_MAX);
  const text = JSON.stringify({ list: many(0, PAYLOAD_ITEMS_MAX + 1), inner: [{ long }] });
  expect(parsedPayload(text)).toEqual({
    list: many(0, PAYLOAD_ITEMS_MAX),
    inner: [{ long: 'a'.repeat(2 * MESSAGE_LENGTH_MAX + 1) }],
  });
});

test('a payload has so many values, and is refused with one more', () => {
  const text = (items: number) => JSON.stringify(many(0, items));
  expect(parsedPayload(text(PAYLOAD_VALUES_MAX - 1))).toHaveLength(PAYLOAD_ITEMS_MAX);
  expect(() => parsedPayload(text(PAYLOAD_VALUES_MAX))).toThrow(/more than 100000 values/);
});

test.each([
  ['a text', { a: 'b'.repeat(MESSAGE_LENGTH_MAX + 5), c: 1 }],
  ['many values', many({ a: [1, null, 'b'] }, PAYLOAD_ITEMS_MAX)],
  ['text of two units', { a: ['𝒂'.repeat(MESSAGE_LENGTH_MAX), 1] }],
  ['a little', { a: 1, b: [true, {}], c: '' }],
])('JSON shows the same of %s as if all of it had been written out', (_, payload) => {
  const { content } = INTEGRATIONS.json.notice(payload, '');
  const [, shown = ''] = /^```json\n([\s\S]*?)…?\n```$/.exec(content) ?? [];
  expect(shown).not.toBe('');
  expect(JSON.stringify(payload, null, 2).startsWith(shown)).toBe(true);
});
