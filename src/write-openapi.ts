import { writeFileSync } from 'node:fs';
import examples from './endpoints/documents/examples.json' with { type: 'json' };
import type { Examples } from './endpoints/documents/examples.ts';
import { openApiBytes } from './endpoints/documents/get-openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';

/** The build runs this in the folder of the bundle, whose server reads the file from there. */
writeFileSync(
  new URL('openapi.json', import.meta.url),
  // The compiler knows each word of the file; its reader needs only the form.
  openApiBytes(ENDPOINTS, examples as unknown as Examples),
);
