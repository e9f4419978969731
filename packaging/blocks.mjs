import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The lines that people type are run in CI as docs/operating.md has them: a block that begins with
// "```sh <name>" is found here by its name. Usage: node packaging/blocks.mjs <name>

const PAGE = fileURLToPath(new URL('../docs/operating.md', import.meta.url));

/** Returns the blocks of a page, each with the words behind its fence and its text. */
export const blocksOf = (page) =>
  Array.from(page.matchAll(/^```(\S+)(?: (\S+))?\n(.*?\n)```$/gms), ([, language, name, text]) => ({
    language,
    name,
    text,
  }));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [wanted = ''] = process.argv.slice(2);
  const found = blocksOf(readFileSync(PAGE, 'utf8')).find(({ name }) => name === wanted);
  if (found === undefined) {
    process.stderr.write(`docs/operating.md has no block '${wanted}'\n`);
    process.exit(1);
  }
  process.stdout.write(found.text);
}
