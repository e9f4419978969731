import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { renderMarkdown } from '../../../src/markdown/markdown.ts';
import { previewing } from '../markdown/directory.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/irc-messages.jsonl.gz');

/** A text for each thing that messages can have. */
export const RICH: readonly string[] = [
  'Could you look at **the plan** before lunch? @**Mel** has the numbers, and @*Support* the *tickets*.',
  '```python\ndef total(rows):\n    # one pass is enough\n    return sum(row.height for row in rows)\n```',
  '> It works on my machine.\n\nThen we ship your machine. :tada:',
  '| figure | before | after |\n| :-- | --: | --: |\n| p50 | 21 ms | **3 ms** |\n| p99 | 90 ms | 12 ms |',
  '```spoiler The answer\nforty-two\n```',
  '- one\n- two\n  - a line below it\n- three\n\n1. first\n2. second',
  'Euler: $$e^{i\\pi} + 1 = 0$$, and\n```math\n\\int_0^1 x^2\\,dx = \\frac{1}{3}\n```',
  'See <time:2026-11-26T10:00:00Z>, #**design>logo** and [the page](https://example.com/a?b=c).',
  '[photo.png](/user_uploads/2/ab/photo.png)',
  'https://x.org/"<b>?\'',
  '# A title\nand `code` in a line, ~~struck~~',
];

/** Real messages as they were typed, and now and then one with everything. */
export function texts(): readonly string[] {
  const lines = gunzipSync(readFileSync(FIXTURE)).toString('utf8').trim().split('\n').slice(0, 400);
  return lines.map((line, index) =>
    index % 13 === 5
      ? (RICH[Math.floor(index / 13) % RICH.length] ?? '')
      : (JSON.parse(line) as { text: string }).text,
  );
}

/** Bodies as the server writes them. */
export const bodies = (): readonly string[] =>
  texts().map((text) => renderMarkdown(text, previewing).html);
