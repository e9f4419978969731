import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { run } from './support/processes/run.ts';
import { CLUSTER, KILLS, LONG, PAGES } from './support/project/groups.ts';
import { temporaryFolder } from './support/scratch.ts';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Programs that some tests need and a machine with only Node lacks, by the code that looks for them
 * and by the words of the README.
 */
const NEEDED = [
  {
    programs: ['cc'],
    looks: ['support/processes/sync-shim.ts'],
    says: (count: number) =>
      `${count} tests of disk faults are left out where there is no C compiler`,
  },
  {
    programs: ['nginx', 'haproxy', 'caddy'],
    looks: ['support/processes/proxies.ts', "spawnSync('nginx'"],
    says: (count: number) => `${count} behind a proxy where there are no nginx, haproxy and Caddy`,
  },
  {
    programs: ['pebble'],
    looks: ["spawnSync('pebble'"],
    says: (count: number) => `${count} of certificates where there is no Pebble`,
  },
  {
    programs: ['prometheus'],
    looks: ["spawnSync('prometheus'"],
    says: (count: number) => `${count} with Prometheus`,
  },
  {
    programs: ['slapd'],
    looks: ['support/people/slapd.ts'],
    says: (count: number) => `${count} with OpenLDAP where they are missing`,
  },
];

test('the README says how many tests are left out where there is no C compiler, or no nginx', async () => {
  const leftOut = await leftOutWithout(
    NEEDED.flatMap(({ programs }) => programs),
    NEEDED.flatMap(({ looks }) => filesWith(looks)),
  );
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').replace(/\s+/g, ' ');
  for (const { looks, says } of NEEDED) {
    const counts = filesWith(looks).map((file) => leftOut[file] ?? 0);
    const count = counts.reduce((sum, each) => sum + each, 0);
    expect(count).toBeGreaterThan(0);
    expect(readme).toContain(says(count));
  }
});

/** A plain run does not have them on any machine. */
const LEFT_OUT_ANYWAY = JSON.stringify([CLUSTER, ...KILLS, ...LONG, ...PAGES]);

/** Collects the tests of some files and runs none. */
const COLLECT = `
import { relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { builtServer, EXTERNAL } from './test/support/project/built-server.mjs';
const [root, dist, excluded, ...files] = process.argv.slice(1);
const include = ['test/**/*.test.ts'];
const exclude = JSON.parse(excluded);
const options = { root, config: false, watch: false, include, exclude };
const workers = { pool: 'forks', isolate: false, maxWorkers: 1, server: { deps: { external: EXTERNAL } } };
const plugins = [builtServer({ root, dist })];
const vitest = await createVitest('test', { ...options, ...workers }, { plugins });
const { testModules } = await vitest.collect(files);
const leftOut = {};
for (const each of testModules) {
  if (each.errors().length > 0) throw new Error(JSON.stringify(each.errors()));
  leftOut[relative(root, each.moduleId)] = [...each.children.allTests('skipped')].length;
}
console.log(JSON.stringify(leftOut));
await vitest.close();
`;

/** Returns how many tests of each file are left out where there are none of these programs. */
async function leftOutWithout(
  programs: readonly string[],
  files: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const folder = join(temporaryFolder(), 'bin');
  mkdirSync(folder);
  for (const program of programs) {
    writeFileSync(join(folder, program), '#!/bin/sh\nexit 1\n');
    chmodSync(join(folder, program), 0o755);
  }
  // biome-ignore lint/style/noProcessEnv: vitest finds its other programs there.
  const PATH = `${folder}:${process.env['PATH']}`;
  const args = [
    '--input-type=module',
    '--eval',
    COLLECT,
    ROOT,
    inject('dist'),
    LEFT_OUT_ANYWAY,
    ...files,
  ];
  const { code, stdout, stderr } = await run(process.execPath, args, { PATH, ALL_RUNS: '' });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, number>;
}

const filesWith = (texts: readonly string[]) =>
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'left-out.slow.test.ts')
    .map((name) => join('test', name))
    .filter((name) => {
      const source = readFileSync(join(ROOT, name), 'utf8');
      return texts.some((text) => source.includes(text));
    });
