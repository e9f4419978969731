import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { openApiBytes } from './endpoints/documents/get-openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';

// Node takes about a millisecond for each module that it loads, and there are a thousand with those of the packages: what is
// run is bundled into a few files, which halves the time of a start (docs/decisions/0108-bundle.md). Names and lines stay
// readable: nothing is shortened.

/** Loaded when they are first needed, or with a binary beside them: they stay where they are installed. */
const APART = [
  '@node-rs/argon2',
  '@zxcvbn-ts/language-common',
  'disposable-email-domains-js',
  'libsodium-wrappers',
  'lmdb',
  'msgpackr',
  'nodemailer',
  'pino',
  'pino-pretty',
];

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const bundle = await rolldown({
  input: {
    main: here('main.js'),
    confab: here('confab.js'),
    'check-store': here('checks/check-store.js'),
  },
  platform: 'node',
  external: [/^node:/, ...APART],
});
await bundle.write({ dir: here('../bundle'), format: 'esm', chunkFileNames: '[name].js' });
await bundle.close();

// The description of the API is the same for everybody and takes most of a second to make: it is made here, not when the
// first client asks for it, and lies beside the code that reads it.
writeFileSync(here('../bundle/openapi.json'), openApiBytes(ENDPOINTS));
