import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BETWEEN_LICENSES, copyPackages, isSocketLibrary, licensesOf } from './kept.mjs';
import { MANIFEST, ROOT, run } from './project.mjs';

/**
 * Writes a folder that a server runs from with Node alone: the bundle, and those of its packages
 * that are not in it. Every package is made of such a folder.
 */
export function makeTree({ to, arch, abis, modules }) {
  const bundle = join(to, 'dist', 'bundle');
  run(process.execPath, [join(ROOT, 'src', 'bundle.mjs')]);
  rmSync(to, { recursive: true, force: true });
  cpSync(join(ROOT, 'dist', 'bundle'), bundle, { recursive: true });
  copyDocuments(to);
  const names = loadedBy(bundle, arch);
  copyPackages({ names, modules, to: join(to, 'node_modules'), arch, abis });
  writeFileSync(
    join(to, 'package.json'),
    `${JSON.stringify(manifestOf({ to, arch, names }), null, 2)}\n`,
  );
  // The bundle has code of packages that are not beside it.
  const licenses = [
    licensesOf(Object.keys(MANIFEST.dependencies), modules),
    licensesOf(OF_PAGES, join(ROOT, 'node_modules')),
  ].join(BETWEEN_LICENSES);
  writeFileSync(join(to, 'LICENSES-OF-PACKAGES'), `${licenses}\n`);
}

/** Packages whose code is in the pages that the bundle brings, and nowhere else. */
const OF_PAGES = ['@preact/signals', 'preact', 'uplot'];

function copyDocuments(to) {
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, name), join(to, name));
  for (const name of readdirSync(join(ROOT, 'docs'))) {
    if (name.endsWith('.md')) cpSync(join(ROOT, 'docs', name), join(to, 'docs', name));
  }
  cpSync(join(ROOT, 'docs', 'operating'), join(to, 'docs', 'operating'), { recursive: true });
}

/** Returns the packages that the bundle loads from where they are installed. */
function loadedBy(bundle, arch) {
  const text = readdirSync(bundle)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(bundle, name), 'utf8'))
    .join('\n');
  const isLoaded = (name) =>
    isSocketLibrary(name) ||
    new RegExp(`(?:from |import\\(|require[$\\d]*\\(|\\)\\()["\`]${name}["\`/]`).test(text);
  // The code of sharp is in the bundle, and its binary is a package for the system.
  return [...Object.keys(MANIFEST.dependencies).filter(isLoaded), `@img/sharp-linux-${arch}`];
}

/** The packages are in the folder already, so npm has to ask no registry for them. */
function manifestOf({ to, arch, names }) {
  const { name, version, description, license, type, engines, bin } = MANIFEST;
  const versionOf = (each) =>
    MANIFEST.dependencies[each] ??
    JSON.parse(readFileSync(join(to, 'node_modules', each, 'package.json'), 'utf8')).version;
  return {
    ...{ name, version, description, license, type, engines, bin },
    ...{ os: ['linux'], cpu: [arch], libc: ['glibc'] },
    dependencies: Object.fromEntries(names.map((each) => [each, versionOf(each)])),
    bundleDependencies: names,
  };
}
