import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeNpmPackage, makeTarball } from './archives.mjs';
import { makeDeb } from './deb.mjs';
import { ROOT, run } from './project.mjs';
import { makeTree } from './tree.mjs';

// Makes the packages that people install: for npm, as a tarball with Node, and for Debian
// (docs/decisions/0178-packages.md). It is JavaScript because it needs no build.

const USAGE = `usage: node packaging/build.mjs [npm] [tarball] [deb] [options]
  --to <folder>       where to put the packages (dist/packages)
  --arch <x64|arm64>  the processor that they are for (that of this machine)
  --node <file>       the Node that the tarball and the Debian package contain (this one)
  --modules <folder>  the packages that are installed, for that processor (node_modules)
`;

/** The binary interfaces of Node 20, 22 and 24: which of them npm has is not known here. */
const ABIS_OF_NPM = ['115', '127', '137'];

const KINDS = {
  npm: ({ tree, ...common }) => makeNpmPackage({ ...common, tree: tree(ABIS_OF_NPM) }),
  tarball: ({ tree, ...common }) => makeTarball({ ...common, tree: tree([abiOf(common.node)]) }),
  deb: ({ tree, ...common }) => makeDeb({ ...common, tree: tree([abiOf(common.node)]) }),
};

const abiOf = (node) => run(node, ['--print', 'process.versions.modules']).trim();

function main() {
  const { values, positionals } = parseArgs({
    options: {
      to: { type: 'string', default: join(ROOT, 'dist', 'packages') },
      arch: { type: 'string', default: process.arch },
      node: { type: 'string', default: process.execPath },
      modules: { type: 'string', default: join(ROOT, 'node_modules') },
    },
    allowPositionals: true,
  });
  const kinds = positionals.length === 0 ? Object.keys(KINDS) : positionals;
  const unknown = kinds.find((kind) => KINDS[kind] === undefined);
  if (unknown !== undefined) throw new Error(`there is no package '${unknown}'\n${USAGE}`);
  build(kinds, { ...values, to: resolve(values.to), modules: resolve(values.modules) });
}

function build(kinds, { to, arch, node, modules }) {
  mkdirSync(to, { recursive: true });
  const scratch = mkdtempSync(join(to, '.making-'));
  const tree = (abis) => {
    const folder = join(scratch, `tree-${abis.join('-')}`);
    makeTree({ to: folder, arch, abis, modules });
    return folder;
  };
  try {
    for (const kind of kinds) {
      const file = KINDS[kind]({ tree, to, arch, node, scratch });
      process.stdout.write(`${file} ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  writeFileSync(join(to, 'SHA256SUMS'), sumsOf(to));
}

/** Returns the sums as `sha256sum --check` reads them. */
const sumsOf = (folder) =>
  readdirSync(folder)
    .filter((name) => /^confab.*\.(?:tgz|gz|deb)$/.test(name))
    .map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return `${hash}  ${name}\n`;
    })
    .join('');

main();
