import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { run } from './support/processes/run.ts';
import { temporaryFolder } from './support/scratch.ts';

const ROOT = resolve(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** What some tests need and a machine with Node alone lacks, as the files say that look for it, and as README does. */
const NEEDED = [
  {
    program: 'cc',
    looks: 'support/processes/sync-shim.ts',
    says: (count: number) =>
      `${count} tests of disk faults are left out where there is no C compiler`,
  },
  {
    program: 'nginx',
    looks: "spawnSync('nginx'",
    says: (count: number) => `${count} behind a proxy where there is no nginx`,
  },
  {
    program: 'prometheus',
    looks: "spawnSync('prometheus'",
    says: (count: number) => `${count} with Prometheus where it is missing`,
  },
];

test.each(NEEDED)(
  'the README says how many tests are left out where there is no $program',
  async ({ program, looks, says }) => {
    const files = filesWith(looks);
    const all = await listed(files, `${program}:exit 0`);
    const without = await listed(files, `${program}:exit 1`);
    expect(all - without).toBeGreaterThan(0);
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').replace(/\s+/g, ' ');
    expect(readme).toContain(says(all - without));
  },
);

/** Nothing is run, so nothing has to be built; the modules of the server are loaded by one process, not by each. */
const CONFIG = `export default { test: {
  include: ['test/**/*.test.ts'], pool: 'forks', isolate: false, maxWorkers: 1,
} };`;

/** How many tests there are in these files, where a program does this. */
async function listed(files: readonly string[], program: string): Promise<number> {
  const [name = '', does = ''] = program.split(':');
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, name), `#!/bin/sh\n${does}\n`);
  chmodSync(join(programs, name), 0o755);
  const file = join(folder, 'tests.json');
  const config = join(folder, 'config.mjs');
  writeFileSync(config, CONFIG);
  // biome-ignore lint/style/noProcessEnv: vitest finds its other programs there.
  const PATH = `${programs}:${process.env['PATH']}`;
  const list = [VITEST, 'list', `--json=${file}`, '--config', config, '--root', ROOT, ...files];
  const { code, stderr } = await run(process.execPath, list, { PATH });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).length;
}

const filesWith = (text: string) =>
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'left-out.slow.test.ts')
    .map((name) => join('test', name))
    .filter((name) => readFileSync(join(ROOT, name), 'utf8').includes(text));
