import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { apiText } from './api-text.mjs';

// Writes the types of the API from its description, which the build of the server made
// (docs/decisions/0199-types-of-the-api.md). JavaScript, as Node 20 runs it before anything is built.

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

const document = JSON.parse(readFileSync(file('../../dist/bundle/openapi.json'), 'utf8'));
const target = file('../src/generated/api.ts');
const text = apiText(document);
// An equal file keeps its time, so that the compiler need not look at it again.
if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  mkdirSync(file('../src/generated'), { recursive: true });
  writeFileSync(target, text);
}
