import { writeFileSync } from 'node:fs';
import { apiPage } from './endpoints/documents/api-page.ts';
import { openApiDocument } from './endpoints/documents/openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { OPERATING_DOCUMENTS } from './metrics/documents/documents.ts';

/** `npm run docs`: what is documented is what is declared. */
writeFileSync('docs/api.md', apiPage(openApiDocument(ENDPOINTS)));
for (const { file, text } of OPERATING_DOCUMENTS) writeFileSync(file, text());
