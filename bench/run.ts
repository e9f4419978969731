import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { print, runMain } from './report.ts';

const HELP = `run: the benchmarks one after the other; see bench/README.md

  npm run bench -- [fan-out] [write-path] [idle] [operations] [search] [history] [rendering]
               [files] [options]    (all)

  --quick           short measurements: shows that it works, not how fast
  --json <dir>      write the results of each there, as <name>.json
  --help

Each has options of its own: node dist/bench/fan-out.js --help`;

const QUICK: Readonly<Record<string, readonly string[]>> = {
  'fan-out': ['--seconds=1', '--rounds=1', '--listeners=200'],
  'write-path': ['--seconds=1', '--rounds=1'],
  idle: ['--queues=1000', '--listeners=400'],
  operations: ['--sizes=100,300', '--seconds=0.3'],
  search: ['--messages=5000', '--compared=2000', '--searches=20'],
  history: ['--messages=5000', '--fetches=8'],
  files: ['--rounds=1', '--small=50', '--mib=8', '--large=1'],
  rendering: ['--only=markup:'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const names = positionals.length > 0 ? positionals : Object.keys(QUICK);
  if (values.json !== undefined) mkdirSync(values.json, { recursive: true });
  for (const name of names) {
    const quick = QUICK[name];
    if (quick === undefined) throw new Error(`there is no benchmark ${name}`);
    print(`\n== ${name}`);
    const json = values.json === undefined ? [] : [`--json=${join(values.json, `${name}.json`)}`];
    const code = await runFile(name, [...(values.quick ? quick : []), ...json]);
    if (code !== 0) process.exitCode = 1;
  }
}

function runFile(name: string, parameters: readonly string[]): Promise<number> {
  const file = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [file, ...parameters], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

await runMain(main);
