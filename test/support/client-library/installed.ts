import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeScratch } from '../scratch.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Makes a folder whose programs find the library, as it is packed, and `ws`. */
export function installLibrary(): string {
  const folder = makeScratch();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, 'node_modules/@confab/client');
  mkdirSync(installed, { recursive: true });
  // `npm run types` checks the types.
  const how = ['-p', 'client', '--noCheck', '--declaration', 'false'];
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  execFileSync(compiler, [...how, '--outDir', join(installed, 'dist')], { cwd: ROOT });
  cpSync(join(ROOT, 'client/package.json'), join(installed, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules/ws'), join(folder, 'node_modules/ws'));
  return folder;
}
