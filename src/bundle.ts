import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { openApiBytes } from './endpoints/documents/get-openapi.ts';
import { ENDPOINTS } from './endpoints/index.ts';

// Node takes about a millisecond to load a module, and there are a thousand with those of the
// packages. The bundle has a few files, which halves the time of a start
// (docs/decisions/0108-bundle.md). Names and lines stay readable: the code is not minified.

/**
 * Packages that stay where they are installed, because they are loaded on first use, or with a
 * binary beside them.
 */
const APART = [
  '@node-rs/argon2',
  '@peculiar/x509',
  '@zxcvbn-ts/language-common',
  'acme-client',
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

// The description of the API is the same for every client and takes most of a second to make, so it
// is made here, beside the code that reads it, and not when the first client asks for it.
writeFileSync(here('../bundle/openapi.json'), openApiBytes(ENDPOINTS));
