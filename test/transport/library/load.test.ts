import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadLibrary } from '../../../src/transport/library/load.ts';
import {
  type Build,
  buildsFor,
  NEWER,
  OFFICIAL_PACKAGE,
  OLDER,
  type Target,
} from '../../../src/transport/library/packages.ts';
import { NotNative, thisSystem } from '../../../src/transport/library/refusals.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const PACKAGES = path.resolve(import.meta.dirname, '../../../node_modules');
const system = thisSystem();

/** Makes a folder where packages of this project are found, by links, and others can be put. */
function folderWith(names: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(path.join(PACKAGES, name), path.join(folder, 'node_modules', name));
  }
  return {
    from: path.join(folder, 'confab.js'),
    /** Puts a package there that is no more than this code. */
    put(name: string, code: string, version = '20.99.0') {
      const target = path.join(folder, 'node_modules', name);
      mkdirSync(target, { recursive: true });
      writeFileSync(
        path.join(target, 'package.json'),
        JSON.stringify({ name, version, main: 'uws.js' }),
      );
      writeFileSync(path.join(target, 'uws.js'), code);
    },
    pathOf: (name: string, file: string) => path.join(folder, 'node_modules', name, file),
  };
}

const both = [NEWER.package, OLDER.package];

test('the official release is used where an operator installed it, and nothing else is looked at', () => {
  const { from, put } = folderWith(both);
  put(OFFICIAL_PACKAGE, 'module.exports = { App: () => "the official one" };');
  const { way, name, library } = loadLibrary(undefined, { from });
  expect({ way, name }).toEqual({ way: 'official', name: 'uWebSockets.js 20.99.0' });
  expect(library.App()).toBe('the official one');
});

test('an official release that does not load is not replaced by what others publish', () => {
  const { from, put } = folderWith(both);
  put(OFFICIAL_PACKAGE, 'throw new Error("supports only Node.js versions 26 and 28.");');
  const load = () => loadLibrary(undefined, { from });
  expect(load).toThrow(NotNative);
  expect(load).toThrow(
    /^uWebSockets.js 20.99.0, which is installed .* supports only Node.js versions 26 and 28. Install another release/,
  );
});

test('without it, the newer package is used, as it is or relinked, and it has a name', () => {
  const { way, name } = loadLibrary(undefined, { from: folderWith(both).from });
  // The C library of this machine decides which of the two it is.
  expect(['newer', 'relinked']).toContain(way);
  expect(name).toBe('@btc-vision/uwebsockets.js 20.57.0');
});

test('where the newer package is missing, the older is used, which is for Node 20', () => {
  const { from } = folderWith([OLDER.package]);
  if (system.modules !== '115') {
    expect(() => loadLibrary(undefined, { from })).toThrow(NotNative);
    return;
  }
  const { way, name } = loadLibrary(undefined, { from });
  expect({ way, name }).toEqual({
    way: 'older',
    name: '@trufflesuite/uws-js-unofficial 20.30.0-unofficial.0',
  });
});

test('a file that is not the one that was tested is refused, and no other takes its place', () => {
  const { from, pathOf } = folderWith([OLDER.package]);
  const [build] = buildsFor(system);
  if (build === undefined) throw new Error('there is a build for this machine');
  cpSync(path.join(PACKAGES, build.package), pathOf(build.package, ''), { recursive: true });
  const file = pathOf(build.package, build.file);
  const content = readFileSync(file);
  content.writeUInt8(content.readUInt8(content.length - 1) ^ 1, content.length - 1);
  writeFileSync(file, content);
  const load = () => loadLibrary(undefined, { from });
  expect(load).toThrow(NotNative);
  expect(load).toThrow(`${file} is not the file that this version of confab was tested with.`);
});

test('where nothing is installed, the operator is told to', () => {
  const load = () => loadLibrary(undefined, { from: folderWith([]).from });
  expect(load).toThrow(NotNative);
  expect(load).toThrow(/^no build of the socket library loads. Run `npm ci` again.\n/);
  expect(load).toThrow('newer: @btc-vision/uwebsockets.js is not installed');
});

test.each<{ why: string; has: Partial<typeof system>; says: RegExp }>([
  {
    why: 'another architecture',
    has: { arch: 'riscv64' },
    says: /no build of the socket library for linux on riscv64. confab runs on Linux with x64 or arm64.$/,
  },
  {
    why: 'a version of Node that no package was compiled for',
    has: { modules: '147', node: '26.10.0' },
    says: /no build of the socket library for Node 26.10.0. Use Node 20, 22 or 24, or install the official/,
  },
  {
    why: 'another C library than that of GNU',
    has: { modules: '127', glibc: () => undefined },
    says: /needs the GNU C library, and this system has another one. Use a system such as Debian/,
  },
  {
    why: 'a C library that is too old for newer versions of Node',
    has: { modules: '127', node: '22.23.3', glibc: () => '2.35' },
    says: /with Node 22.23.3 the socket library needs glibc 2.36, and this system has 2.35. Use Node 20 here/,
  },
])('$why is told in one line, with what to do', ({ has, says }) => {
  const on = { ...system, platform: 'linux' as const, arch: 'x64', ...has };
  const load = () => loadLibrary(undefined, { from: folderWith([]).from, system: on });
  expect(load).toThrow(says);
  expect(load).not.toThrow('\n');
});

const TARGETS: readonly Target[] = ['x64', 'arm64'].flatMap((arch) =>
  ['115', '127', '137'].map((modules) => ({ platform: 'linux', arch, modules })),
);

test.each(TARGETS)(
  '$platform $arch has a build for the interface $modules, with its hash',
  (target) => {
    const builds = buildsFor(target);
    expect(builds.length).toBeGreaterThan(0);
    const hashes = builds.map(({ package: name, file }: Build) =>
      sha256(path.join(PACKAGES, name, file)),
    );
    expect(hashes).toEqual(builds.map((build) => build.sha256));
  },
);

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const glibc = Number(system.glibc()?.split('.')[1]);

test.runIf(system.platform === 'linux' && glibc >= 36)('the relinked copy loads', () => {
  expect(loadLibrary('relinked').way).toBe('relinked');
});

test('the packages are pinned by version, and by hash in the lock file', () => {
  const require = createRequire(import.meta.url);
  const { dependencies } = require('../../../package.json');
  const { packages } = require('../../../package-lock.json');
  for (const name of both) {
    expect(dependencies[name]).toMatch(/^\d/);
    const { version, integrity } = packages[`node_modules/${name}`];
    expect(version).toBe(dependencies[name]);
    expect(integrity).toMatch(/^sha512-/);
  }
});
