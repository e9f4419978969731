import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCHMARKS, benchmarkCalled } from './benchmarks/index.ts';
import { writeTables } from './documents/write-tables.ts';
import { lookAtGiven } from './fixtures/given.ts';
import { readAssets } from './report/assets.ts';
import { type Reported, reportPage } from './report/report.ts';
import { temporaryDirectory } from './servers/belongings.ts';
import type { Benchmark } from './suite/benchmark.ts';
import { runBenchmark } from './suite/benchmark-process.ts';
import { compare, regressions } from './suite/comparison.ts';
import type { Setting } from './suite/context.ts';
import { watchStolen } from './suite/disturbances.ts';
import { makeDirectory, RESULTS_DIRECTORY, readResults, writeResults } from './suite/files.ts';
import { currentCommit, describeMachine } from './suite/machine.ts';
import {
  type Chosen,
  COMMON_OPTIONS,
  helpOf,
  readCommandLine,
  texts,
  WrongOption,
} from './suite/options.ts';
import type { BenchmarkResult, Results } from './suite/results.ts';
import { showProgress } from './terminal/progress.ts';
import { closingText, comparisonText, summaryText } from './terminal/summary.ts';
import { print, runMain } from './terminal/terminal.ts';

const HELP = `npm run bench                              all benchmarks, about ten minutes on two cores
npm run bench -- <name>… [options]         some of them
npm run bench -- <name> --help             what one measures, and its own options

  --quick                  short measurements: shows that it works, not how fast
  --repeats <n>            how often each thing is measured (3; quick: 1)
  --url <address>          a server elsewhere, instead of one that is started; http alone
  --credentials <file>     its demo-credentials.json
  --messages <file>        real messages as load: lines of {"date","time","nick","text"}, or .gz
  --results <dir>          where a directory for this run is made (${RESULTS_DIRECTORY})
  --compare <file>         an older results.json: what got better and worse beyond the spread
  --fail-on-regression     ends with 1 when something got worse; needs --compare
  --readme                 makes the tables of README.md and bench/results of these results, and keeps a whole run

Benchmarks:
${BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`).join('\n')}`;

const FLAGS = ['quick', 'help', 'readme', 'fail-on-regression'] as const;

async function main(): Promise<void> {
  const own = BENCHMARKS.flatMap(({ options }) => Object.keys(options));
  const line = readCommandLine(process.argv.slice(2), {
    valued: [...new Set([...COMMON_OPTIONS, ...own])],
    flags: FLAGS,
  });
  const benchmarks = line.names.length > 0 ? line.names.map(benchmarkCalled) : BENCHMARKS;
  if (line.set.has('help')) return print(helpText(line.names.length > 0 ? benchmarks : []));
  const setting = settingOf(line.chosen, line.set.has('quick'));
  const planned = plan(benchmarks, setting, line.chosen);
  const { compare: olderFile, results: parent = RESULTS_DIRECTORY } = line.chosen;
  const failsOnRegression = line.set.has('fail-on-regression');
  if (failsOnRegression && olderFile === undefined) {
    throw new WrongOption('--fail-on-regression needs --compare');
  }
  // Before minutes are spent on it.
  await lookAtGiven(setting);
  const older = olderFile === undefined ? undefined : readResults(olderFile);
  const results = await runAll(planned, setting);
  const comparison = older && compare(older, results);
  for (const result of results.benchmarks) print(`\n${summaryText(result)}`);
  if (comparison !== undefined) print(`\n${comparisonText(comparison)}`);
  print(`\n${closingText(results)}`);
  const directory = keep({ results, comparison }, parent);
  print(`Written to ${directory}: results.json, and report.html for a browser.`);
  if (line.set.has('readme')) print(writeTables(results));
  const hasFaults = results.benchmarks.some(({ faults }) => faults.length > 0);
  const isWorse = comparison !== undefined && regressions(comparison).length > 0;
  if (hasFaults || (failsOnRegression && isWorse)) process.exitCode = 1;
}

function keep(run: Omit<Reported, 'assets'>, parent: string): string {
  const directory = makeDirectory(parent, run.results.startedAt);
  writeResults(join(directory, 'results.json'), run.results);
  writeFileSync(join(directory, 'report.html'), reportPage({ ...run, assets: readAssets() }));
  return directory;
}

function helpText(benchmarks: readonly Benchmark[]): string {
  if (benchmarks.length === 0) return HELP;
  return benchmarks
    .map(({ name, summary, description, options, metrics, elsewhere }) =>
      [
        `${name}: ${summary}`,
        description,
        helpOf(options),
        Object.entries(metrics)
          .map(([metric, { unit, meaning }]) => `  ${metric} (${unit}): ${meaning}`)
          .join('\n'),
        elsewhere === true ? 'Also against a server elsewhere: --url, --credentials.' : elsewhere,
      ].join('\n\n'),
    )
    .join('\n\n');
}

function settingOf(chosen: Chosen, isQuick: boolean): Setting {
  const { url, credentials, messages, repeats = isQuick ? '1' : '3' } = chosen;
  if ((url === undefined) !== (credentials === undefined)) {
    throw new WrongOption('--url and --credentials belong together');
  }
  if (!/^[1-9]\d?$/.test(repeats)) throw new WrongOption('--repeats is a number from 1 to 99');
  return {
    isQuick,
    repeats: Number(repeats),
    remote: url === undefined || credentials === undefined ? undefined : { url, credentials },
    messages,
  };
}

interface Planned {
  readonly benchmark: Benchmark;
  readonly written: Chosen;
}

/** Each with its options: a name of the command line is for every benchmark that has it. */
function plan(
  benchmarks: readonly Benchmark[],
  { isQuick, remote }: Setting,
  chosen: Chosen,
): readonly Planned[] {
  const common: readonly string[] = COMMON_OPTIONS;
  const given = Object.keys(chosen).filter((name) => !common.includes(name));
  for (const name of given) {
    if (!benchmarks.some(({ options }) => name in options)) {
      throw new WrongOption(`none of these benchmarks has an option --${name}`);
    }
  }
  const able = benchmarks.filter((one) => {
    if (remote === undefined || one.elsewhere === true) return true;
    print(`${one.name} is left out: ${one.elsewhere}`);
    return false;
  });
  if (able.length === 0) throw new WrongOption('nothing is left to run');
  return able.map((benchmark) => {
    const own = given.filter((name) => name in benchmark.options);
    const ownChosen = Object.fromEntries(own.map((name) => [name, chosen[name] ?? '']));
    return { benchmark, written: texts(benchmark.options, ownChosen, isQuick) };
  });
}

async function runAll(planned: readonly Planned[], setting: Setting): Promise<Results> {
  const startedAt = new Date().toISOString();
  const directory = temporaryDirectory();
  const machine = describeMachine(directory.path);
  directory.remove();
  const progress = showProgress(
    planned.map(({ benchmark, written }) => ({
      name: benchmark.name,
      seconds: benchmark.seconds(written, setting.repeats),
    })),
  );
  const stolen = watchStolen();
  const benchmarks: BenchmarkResult[] = [];
  try {
    for (const { benchmark, written } of planned) {
      const { name } = benchmark;
      progress.begin(name);
      benchmarks.push(await runBenchmark({ name, setting, written }, progress.step));
      progress.end();
    }
  } finally {
    progress.stop();
  }
  return {
    version: 2,
    startedAt,
    finishedAt: new Date().toISOString(),
    ...currentCommit(),
    isQuick: setting.isQuick,
    repeats: setting.repeats,
    url: setting.remote?.url ?? null,
    machine: { ...machine, stolen: stolen() },
    benchmarks,
  };
}

await runMain(main);
