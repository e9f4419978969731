// Prints which tests of a run of `.ci/run` failed, when its steps began and ended, and as the last line how many tests passed and
// failed. Usage: node .ci/count.mjs <folder for results>. Ends with 1 where a test failed, or none passed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As many tests are named, with as many lines of what they said: people look at the end of the output first. */
const NAMED_MAX = 20;
const LINES_MAX = 8;

const folder = process.argv[2];

/** A step that ended in the middle of its results has failed. */
function halfOf(file) {
  const half = {
    name: 'its results are no JSON',
    status: 'failed',
    message: '',
    assertionResults: [],
  };
  return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [half], file };
}

function runIn(file) {
  try {
    return { ...JSON.parse(readFileSync(join(folder, file), 'utf8')), file };
  } catch {
    return halfOf(file);
  }
}

/** Steps that are scripts of a shell leave a line in such a file. */
function linesOf(name) {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

function sum(runs, key) {
  return runs.reduce((total, run) => total + run[key], 0);
}

/** Calls within packages say nothing of a test. */
const OF_PACKAGES = /^\s+at .*node_modules/;

function firstLines(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !OF_PACKAGES.test(line));
  return lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX), '…'] : lines;
}

function section(title, tests) {
  if (tests.length === 0) return [];
  const named = tests
    .slice(0, NAMED_MAX)
    .flatMap(({ name, said }) => [`- ${name}`, ...firstLines(said)]);
  const rest = tests.length > NAMED_MAX ? [`and ${tests.length - NAMED_MAX} more`] : [];
  return [`${tests.length} of the tests ${title}:`, ...named, ...rest];
}

const runs = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map(runIn);
const files = runs.flatMap((run) =>
  (run.testResults ?? []).map((result) => ({ ...result, run: run.file })),
);
const tests = files.flatMap(({ run, assertionResults }) =>
  assertionResults.map(({ fullName, status, failureMessages }) => ({
    name: `${run}: ${fullName}`,
    status,
    said: failureMessages.join('\n'),
  })),
);
const failed = tests.filter(({ status }) => status === 'failed');
// A file that cannot be loaded has no tests, and counts as one that failed.
const unloaded = files
  .filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  .map(({ run, name, message }) => ({ name: `${run}: ${name}`, said: message }));
const inShell = linesOf('failed.txt').map((name) => ({ name, said: '' }));
const again = tests.filter(({ status, said }) => status === 'passed' && said !== '');

const counts = {
  passed: sum(runs, 'numPassedTests'),
  failed: sum(runs, 'numFailedTests') + unloaded.length,
  skipped: sum(runs, 'numPendingTests'),
};
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
const lines = [
  ...linesOf('times.txt'),
  ...section('failed once and passed when they ran again', again),
  ...section('failed', [...failed, ...unloaded, ...inShell]),
  `${counts.passed} passed, ${counts.failed} failed${skipped}`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = counts.passed === 0 || counts.failed > 0 ? 1 : 0;
