import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { putProgram, unitOf } from './archives.mjs';
import { MANIFEST, packagingFile, ROOT, run } from './project.mjs';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/** Makes the package for Debian: the server with its Node, a unit of systemd and its settings. */
export function makeDeb({ tree, to, arch, node, scratch }) {
  const root = join(scratch, 'deb');
  const architecture = ARCHITECTURES[arch];
  const put = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode });
  };
  const own = (name) => readFileSync(packagingFile(name));
  putProgram({ root: join(root, 'usr/lib/confab'), tree, node });
  put('usr/bin/confab', own('debian/confab'), 0o755);
  put('etc/confab/confab.env', own('confab.env'), 0o600);
  put(
    'usr/lib/systemd/system/confab.service',
    unitOf('/usr/lib/confab/bin', '/usr/lib/confab/lib/confab'),
  );
  put('usr/share/bash-completion/completions/confab', completion(join(root, 'usr/lib/confab')));
  put(
    'usr/share/doc/confab/changelog.gz',
    gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md')), { level: 9 }),
  );
  put('usr/share/doc/confab/copyright', copyright(tree));
  for (const name of ['postinst', 'prerm', 'postrm'])
    put(`DEBIAN/${name}`, own(`debian/${name}`), 0o755);
  put('DEBIAN/conffiles', '/etc/confab/confab.env\n');
  put('DEBIAN/control', control(architecture, sizeOf(root)));
  run('chmod', ['-R', 'u=rwX,go=rX', root]);
  chmodSync(join(root, 'etc/confab/confab.env'), 0o600);
  const file = join(to, `confab_${MANIFEST.version}_${architecture}.deb`);
  // Level 1 takes a third of the time and adds a tenth to the size.
  run('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', '-z1', root, file]);
  return file;
}

const control = (architecture, bytes) => `Package: confab
Version: ${MANIFEST.version}
Architecture: ${architecture}
Maintainer: the authors of confab <confab@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.36), libstdc++6 (>= 12)
Section: net
Priority: optional
Description: team-chat server
 Channels with topics, direct messages, unread state, and event queues that
 lose nothing. One process and one directory hold everything; there is no
 database or broker to install. Node is in the package.
`;

const sizeOf = (folder) => Number.parseInt(run('du', ['--summarize', '--bytes', folder]), 10);

/** The scripts of the program for shells are the same in each version, so they lie ready. */
const completion = (root) =>
  run(process.execPath, [join(root, 'lib/confab/dist/bundle/confab.js'), 'completion', 'bash']);

const copyright = (tree) => `confab: Apache-2.0. On Debian systems the license is in
/usr/share/common-licenses/Apache-2.0.

The package contains Node.js (MIT and other licenses, https://github.com/nodejs/node/blob/main/LICENSE)
and these packages:

${readFileSync(join(tree, 'LICENSES-OF-PACKAGES'), 'utf8')}`;
