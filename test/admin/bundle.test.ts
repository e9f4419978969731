import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { run } from '../support/processes/run.ts';

const BUNDLER = resolve(import.meta.dirname, '../../src/bundle.mjs');

test('the bundle is built when it is missing or stale, with one line, and otherwise left as it is', async () => {
  // Its packages are found above it, as those of dist/bundle are.
  const target = join(inject('dist'), 'again');
  onTestFinished(() => rmSync(target, { recursive: true, force: true }));
  const bundle = () => run(process.execPath, [BUNDLER, target]);
  const says = /^confab: building \S+again, once after a change … \d+\.\d s\n$/;

  expect(await bundle()).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(says) });
  expect(readdirSync(target)).toEqual(
    expect.arrayContaining(['main.js', 'confab.js', 'check-store.js', 'openapi.json']),
  );
  expect(statSync(join(target, 'confab.js')).mode & 0o111).not.toBe(0);
  const built = filesOf(target);

  expect(await bundle()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(filesOf(target)).toEqual(built);

  writeFileSync(`${target}.sha256`, 'of other sources\n');
  expect((await bundle()).stderr).toMatch(says);
  expect(filesOf(target)).not.toEqual(built);
});

/** Each file with what a build changes: its inode. */
const filesOf = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, ino: statSync(join(folder, name)).ino }));
