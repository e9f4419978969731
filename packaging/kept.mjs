import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedBelow } from './installed.mjs';

// A package of npm has more than a running server reads: types, sources, other languages, binaries
// for other systems. This decides what is kept of each (docs/decisions/0178-packages.md).

/**
 * Names the files that are kept of packages whose other files are large. Of all others everything
 * is kept that `NEVER_READ` does not match.
 */
const onlyOf = ({ arch, abis }) => ({
  'emojibase-data': [/^en\/shortcodes\/(?:github|iamcal|cldr|joypixels)\.json$/],
  'highlight.js': [/^lib\/core\.js$/, /^lib\/languages\/[^.]+\.js$/],
  katex: [/^dist\/katex\.js$/],
  // The bundle imports these as ES modules, and `acme-client` requires `axios`.
  ...Object.fromEntries(
    ['nodemailer', 'postal-mime', 'smtp-server'].map((name) => [
      name,
      [/^dist\/esm\/.*\.(?:js|json)$/],
    ]),
  ),
  axios: [/^dist\/node\/axios\.cjs$/],
  'fs-native-extensions': [/^(?:index|binding)\.js$/, new RegExp(`^prebuilds/linux-${arch}/`)],
  lmdb: [/^[^/]+\.js$/, /^(?:util|dict)\//],
  [`@lmdb/lmdb-linux-${arch}`]: [/^index\.js$/, binariesOfLmdb(abis)],
});

/** The builds of the socket library (docs/decisions/0145-newer-socket-library.md). */
const socketLibrary = ({ arch, abis }) => [
  /^(?:src\/)?uws\.js$/,
  new RegExp(`^(?:binaries/)?uws_linux_${arch}_(?:${abis.join('|')})\\.node$`),
];

/** A Node without a build of its own takes the one for any (`napi`). */
const binariesOfLmdb = (abis) =>
  new RegExp(`^node\\.(?:napi|${abis.map((abi) => `abi${abi}`).join('|')})\\.glibc\\.node$`);

const NEVER_READ = new RegExp(
  [
    /\.(?:[cm]?ts|map|md|markdown|flow|c|cc|cpp|h|hpp|gyp|png|svg|yml)$/,
    /(?:^|\/)(?:tests?|docs|examples?|benchmarks?|node_modules)\//,
    /(?:^|\/)\.[^/]+/,
    /\.min\.js$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const LICENSE = /^(?:licen[cs]e|copying|notice)/i;

/** Fields of package.json that Node and the loaders of binaries read, or that name the package. */
const FIELDS = [
  ...['name', 'version', 'license', 'author', 'type', 'main', 'module', 'exports', 'imports'],
  ...['addon', 'config', 'engines', 'os', 'cpu', 'libc'],
];

export const isSocketLibrary = (name) => /uwebsockets\.js|uws-js/i.test(name);

/** Copies what is kept of packages and of all that they need. */
export function copyPackages({ names, modules, to, arch, abis }) {
  const only = onlyOf({ arch, abis });
  const sockets = socketLibrary({ arch, abis });
  for (const [path, { manifest, below }] of installedBelow(names, modules)) {
    const name = path.split('node_modules/').at(-1);
    copyFiles({
      from: join(modules, path),
      to: join(to, path),
      only: isSocketLibrary(name) ? sockets : only[name],
    });
    writeManifest(join(to, path), manifest, below);
  }
}

function copyFiles({ from, to, only }) {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (!entry.isFile() || path === 'package.json' || !isKept(path, only)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

const isKept = (path, only) =>
  LICENSE.test(path) ||
  (only === undefined ? !NEVER_READ.test(path) : only.some((pattern) => pattern.test(path)));

/** npm would look for what is missing, so a package asks only for what is beside it. */
function writeManifest(folder, manifest, below) {
  const kept = FIELDS.filter((field) => manifest[field] !== undefined);
  const wanted = { ...manifest.optionalDependencies, ...manifest.dependencies };
  const reduced = {
    ...Object.fromEntries(kept.map((field) => [field, manifest[field]])),
    dependencies: Object.fromEntries(below.map((name) => [name, wanted[name]])),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(reduced, null, 2)}\n`);
}

/** Returns the licenses of packages and of all that they need, to be passed on with their code. */
export const BETWEEN_LICENSES = `\n\n${'-'.repeat(80)}\n\n`;

export function licensesOf(names, modules) {
  return [...installedBelow(names, modules)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { manifest }]) => {
      const files = readdirSync(join(modules, path)).filter((name) => LICENSE.test(name));
      const texts = files.map((name) => readFileSync(join(modules, path, name), 'utf8').trim());
      return [`${manifest.name} ${manifest.version}: ${manifest.license}`, ...texts].join('\n\n');
    })
    .join(BETWEEN_LICENSES);
}
