import { readFileSync, writeFileSync } from 'node:fs';
import { withCommands } from './command-line/commands-page.ts';
import { apiPage } from './endpoints/documents/api-page.ts';
import { openApiDocument } from './endpoints/documents/openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { OPERATING_DOCUMENTS } from './metrics/documents/documents.ts';

/** `npm run docs`: what is documented is what is declared. */
writeFileSync('docs/api.md', apiPage(openApiDocument(ENDPOINTS)));
const COMMAND_LINE = 'docs/command-line.md';
writeFileSync(COMMAND_LINE, withCommands(readFileSync(COMMAND_LINE, 'utf8')));
for (const { file, text } of OPERATING_DOCUMENTS) writeFileSync(file, text());
