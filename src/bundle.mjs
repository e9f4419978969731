import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePage } from './bundle-page.mjs';

// Node takes about a millisecond to load a module, and there are a thousand with those of the
// packages. The bundle has a few files, which halves the time of a start
// (docs/decisions/0108-bundle.md). Names and lines stay readable: the code is not minified.
//
// The bundle is made from the sources themselves, without a check of their types, so it takes two
// seconds. This file is JavaScript because Node 20 has to run it before anything is built.

/**
 * Packages that stay where they are installed, because they are loaded on first use, or with a
 * binary beside them.
 */
const APART = [
  '@nats-io/jetstream',
  '@nats-io/kv',
  '@nats-io/transport-node',
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
  'postal-mime',
  'smtp-server',
];

/** Folders of `web`, and where the server finds the pages that are made of them. */
const PAGES = [
  ['console', 'console'],
  ['app', 'web'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** The folder of the bundle; tests give one of their own. */
const target = resolve(process.argv[2] ?? join(root, 'dist', 'bundle'));
/** This file holds the hash of the inputs that the bundle was made from. */
const stamp = `${target}.sha256`;

refuseOldNode();
const hash = hashOfInputs();
if (!isCurrent()) await build();

/** The bundler does not load with a Node that is too old, and would say something else. */
function refuseOldNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...oldest] = /\^(\d+)\.(\d+)/.exec(engines.node).map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  process.stderr.write(
    `confab: this is Node ${process.versions.node}, and confab needs ${engines.node}\n`,
  );
  process.exit(1);
}

/**
 * Hashes contents, not times, because a checkout changes times. Reading all sources takes some 50
 * ms.
 */
function hashOfInputs() {
  const folders = ['src', 'actors', 'storage', 'web', 'client/src'];
  const sources = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:tsx?|m?js|json|css|html|svg|png|webmanifest)$/.test(name))
        .sort()
        .map((name) => join(folder, name)),
    );
  const hashing = createHash('sha256');
  for (const name of [...sources, 'tsconfig.json', 'package-lock.json']) {
    const content = readFileSync(join(root, name));
    hashing.update(`${name} ${content.length}\n`).update(content);
  }
  return hashing.digest('hex');
}

function isCurrent() {
  return (
    existsSync(join(target, 'main.js')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === `${hash}\n`
  );
}

/** Builds beside the bundle and then takes its place, so that nobody runs half of a bundle. */
async function build() {
  const startedAt = Date.now();
  process.stderr.write(`confab: building ${relative(root, target)}, once after a change … `);
  const { rolldown } = await loadBundler();
  const aside = join(dirname(target), `.${process.pid}-bundle`);
  mkdirSync(aside, { recursive: true });
  try {
    await write(rolldown, aside);
    rmSync(stamp, { force: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(aside, target);
    writeFileSync(stamp, `${hash}\n`);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

async function loadBundler() {
  try {
    return await import('rolldown');
  } catch {
    process.stderr.write('\nconfab: the packages to build it are not installed: run `npm ci`\n');
    process.exit(1);
  }
}

async function write(rolldown, dir) {
  const common = { platform: 'node', external: [/^node:/, ...APART], cwd: root };
  const bundle = await rolldown({
    ...common,
    input: {
      main: 'src/start.ts',
      gateway: 'src/gateways/gateway.ts',
      confab: 'src/confab.ts',
      'check-store': 'src/checks/check-store.ts',
      'read-mail': 'src/workers/incoming/read-mail.ts',
      'verify-process': 'src/backups/verify-process.ts',
      'migrate-process': 'src/cluster/versions/migrate-process.ts',
    },
  });
  await bundle.write({ dir, format: 'esm', chunkFileNames: '[name].js' });
  await bundle.close();
  chmodSync(join(dir, 'confab.js'), 0o755);
  for (const [page, folder] of PAGES) {
    await bundlePage(rolldown, { root, source: join(root, 'web', page), dir: join(dir, folder) });
  }

  // The scripts and styles of pages are served as they stand.
  cpSync(join(root, 'src/endpoints/pages/api/browser'), join(dir, 'browser'), { recursive: true });

  // The description of the API is the same for every client and takes most of a second to make, so
  // it is made here, beside the code that reads it, and not when the first client asks for it.
  const file = join(dir, '.write-openapi.mjs');
  const writer = await rolldown({ ...common, input: 'src/write-openapi.ts' });
  await writer.write({ file, format: 'esm', codeSplitting: false });
  await writer.close();
  await import(pathToFileURL(file).href);
  rmSync(file);
}
