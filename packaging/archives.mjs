import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MANIFEST, NODE_OPTION, packagingFile, run } from './project.mjs';

/** Packs the folder as npm does, with the packages that are in it. */
export function makeNpmPackage({ tree, to, arch }) {
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], { cwd: tree }),
  );
  const file = join(to, `confab-npm-${MANIFEST.version}-linux-${arch}.tgz`);
  renameSync(join(to, filename), file);
  return file;
}

/** Packs the folder with a Node beside it: `bin/confab` needs nothing else. */
export function makeTarball({ tree, to, arch, node, scratch }) {
  const name = `confab-${MANIFEST.version}-linux-${arch}`;
  const root = join(scratch, name);
  putProgram({ root, tree, node });
  const unit = unitOf('/opt/confab/bin', '/opt/confab/lib/confab');
  writeFileSync(join(root, 'confab.service'), unit);
  cpSync(packagingFile('confab.env'), join(root, 'confab.env'));
  const file = join(to, `${name}.tar.gz`);
  run('tar', [
    '--create',
    '--gzip',
    ...PLAIN,
    '--file',
    file,
    '--directory',
    scratch,
    basename(root),
  ]);
  return file;
}

/** Owners, order and rights do not depend on the machine that packs. */
const PLAIN = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];

/** Puts the server into a folder: Node and the program in `bin`, the rest in `lib/confab`. */
export function putProgram({ root, tree, node }) {
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync(tree, join(root, 'lib', 'confab'), { recursive: true });
  cpSync(node, join(root, 'bin', 'node'), { dereference: true });
  chmodSync(join(root, 'bin', 'node'), 0o755);
  writeFileSync(join(root, 'bin', 'confab'), PROGRAM, { mode: 0o755 });
}

const PROGRAM = `#!/bin/sh
# Node is beside this file, also where a link leads here.
bin=$(dirname "$(readlink -f "$0")")
exec "$bin/node" ${NODE_OPTION} "$bin/../lib/confab/dist/bundle/confab.js" "$@"
`;

/** Returns the unit of systemd for a server that lies in some folders. */
export const unitOf = (bin, lib) =>
  readFileSync(packagingFile('confab.service'), 'utf8')
    .replaceAll('@BIN@', bin)
    .replaceAll('@DOCS@', `${lib}/docs`)
    .replaceAll('@PROGRAM@', `${bin}/node ${NODE_OPTION} ${lib}/dist/bundle/confab.js`);
