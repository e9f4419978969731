import { writeFileSync } from 'node:fs';
import { openApiBytes } from './endpoints/documents/get-openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';

/** The build runs this in the folder of the bundle, whose server reads the file from there. */
writeFileSync(new URL('openapi.json', import.meta.url), openApiBytes(ENDPOINTS));
