import { NO_NAMES } from './directory.ts';
import { renderMarkdown } from './markdown.ts';

/**
 * Renders samples that load the libraries for formulas and for the most frequent languages, piece
 * by piece: without it the first message of each kind would hold the thread ten times as long as
 * later ones. Other languages are loaded on first use.
 */
export function* warmUp(): Generator<void> {
  for (const content of [...MARKUP, ...LANGUAGES.map(codeIn)]) {
    renderMarkdown(content, NO_NAMES);
    yield;
  }
}

/** The sample has each kind of markup, so that the engine compiles the code of the parser. */
const SAMPLE = [
  '# A heading\n\nA *paragraph* of **words** with `code` and https://example.com :smile: 😀',
  '- an item\n- another\n  1. within it\n',
  '> a quote\n\n| a | b |\n|---|---|\n| c | d |\n',
  '```quote\n@**nobody** and #**nowhere**\n```\n',
].join('\n');

/** Enough repetitions for the engine to compile the loops over lines. */
const LINES = 150;

const MARKUP: readonly string[] = [
  '$$x$$',
  '$$\\frac{a^2}{\\sqrt{b}} + \\sum_{i=1}^n \\left(\\hat{x}_i\\right)$$',
  ...Array.from({ length: 8 }, () => SAMPLE.repeat(4)),
  ...Array.from({ length: 8 }, () => '- an item\n'.repeat(LINES)),
  ...Array.from({ length: 4 }, () => `| a | b |\n|---|---|\n${'| c | d |\n'.repeat(LINES)}`),
];

const LANGUAGES: readonly string[] = [
  ...['bash', 'c', 'cpp', 'csharp', 'css', 'diff', 'go', 'html', 'java', 'javascript', 'json'],
  ...['php', 'python', 'ruby', 'rust', 'sql', 'typescript', 'yaml'],
];

const codeIn = (language: string) =>
  `\`\`\`${language}\nfunction first(one) {\n  return one + "1"; // so\n}\n\`\`\``;
