import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { run } from './support/run.ts';
import { temporaryFolder } from './support/scratch.ts';

const ROOT = resolve(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

test('the README says how many tests are left out where there is no C compiler', async () => {
  const [withCompiler, without] = await Promise.all([listed('exit 0'), listed('exit 1')]);
  const leftOut = withCompiler - without;
  expect(leftOut).toBeGreaterThan(0);
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').replace(/\s+/g, ' ')).toContain(
    `${leftOut} tests of disk faults are left out where there is no C compiler`,
  );
});

/** Nothing is run, so nothing has to be built. */
const CONFIG = `export default { test: { include: ['test/**/*.test.ts'], isolate: false } };`;

/** How many tests there are with a `cc` that does this, in the files that look for one. */
async function listed(cc: string): Promise<number> {
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'cc'), `#!/bin/sh\n${cc}\n`);
  chmodSync(join(programs, 'cc'), 0o755);
  const file = join(folder, 'tests.json');
  const config = join(folder, 'config.mjs');
  writeFileSync(config, CONFIG);
  // biome-ignore lint/style/noProcessEnv: vitest finds its other programs there.
  const PATH = `${programs}:${process.env['PATH']}`;
  const list = [
    VITEST,
    'list',
    `--json=${file}`,
    '--config',
    config,
    '--root',
    ROOT,
    ...filesThatLook(),
  ];
  const { code, stderr } = await run(process.execPath, list, { PATH });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).length;
}

const filesThatLook = () =>
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((name) => readFileSync(join(ROOT, name), 'utf8').includes('support/sync-shim.ts'));
