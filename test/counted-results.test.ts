import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { run } from './support/processes/run.ts';
import { temporaryFolder } from './support/scratch.ts';

const COUNT = resolve(import.meta.dirname, '../.ci/count.mjs');

type Test = { fullName: string; status: string; failureMessages: string[] };

const PASSED: Test = { fullName: 'a sum is right', status: 'passed', failureMessages: [] };
const PASSED_AGAIN = { ...PASSED, fullName: 'a socket is quick', failureMessages: ['Error: late'] };
const FAILED = {
  fullName: 'a page opens',
  status: 'failed',
  failureMessages: [
    'Error: blank\n    at page.test.ts:9:1\n    at run (file:///x/node_modules/vitest/run.js:1:2)',
  ],
};

/** Returns the JSON that a reporter of vitest writes for one file of tests. */
function resultsOf(tests: Test[], status = 'passed', message = '') {
  return JSON.stringify({
    numPassedTests: tests.filter((each) => each.status === 'passed').length,
    numFailedTests: tests.filter((each) => each.status === 'failed').length,
    numPendingTests: tests.filter((each) => each.status === 'pending').length,
    testResults: [{ name: 'a.test.ts', status, message, assertionResults: tests }],
  });
}

async function counted(files: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { code, stdout } = await run(process.execPath, [COUNT, folder]);
  return { code, lines: stdout.trimEnd().split('\n') };
}

test('the last line has the sum of all steps, after when they began', async () => {
  expect(
    await counted({
      'server.json': resultsOf([PASSED, PASSED, { ...PASSED, status: 'pending' }]),
      'arm64.json': '{"numPassedTests":3,"numFailedTests":0,"numPendingTests":0}',
      'times.txt': 'tests began after 9 s\n',
    }),
  ).toEqual({ code: 0, lines: ['tests began after 9 s', '5 passed, 0 failed, 1 skipped'] });
});

test('a test that failed is named with what it said, and so is one that passed when it ran again', async () => {
  expect(await counted({ 'server.json': resultsOf([PASSED, PASSED_AGAIN, FAILED]) })).toEqual({
    code: 1,
    lines: [
      '1 of the tests failed once and passed when they ran again:',
      '- server.json: a socket is quick',
      'Error: late',
      '1 of the tests failed:',
      '- server.json: a page opens',
      'Error: blank',
      '    at page.test.ts:9:1',
      '2 passed, 1 failed',
    ],
  });
});

test('a step of the shell that failed is named, and counted once', async () => {
  const { code, lines } = await counted({
    'packages.json': '{"numPassedTests":3,"numFailedTests":1,"numPendingTests":0}',
    'failed.txt': 'packages: failed: bookworm: block deb-install\n',
  });
  expect(code).toBe(1);
  expect(lines).toEqual([
    '1 of the tests failed:',
    '- packages: failed: bookworm: block deb-install',
    '3 passed, 1 failed',
  ]);
});

test('a file that cannot be loaded, and results that end in their middle, count as failed', async () => {
  const { code, lines } = await counted({
    'server.json': resultsOf([PASSED]),
    'cluster.json': resultsOf([], 'failed', 'Error: Cannot find module'),
    'clients.json': resultsOf([PASSED]).slice(0, 50),
  });
  expect(code).toBe(1);
  expect(lines.at(-1)).toBe('1 passed, 2 failed');
  expect(lines).toContain('Error: Cannot find module');
});

test('a run without a test that passed has failed', async () => {
  expect(await counted({})).toEqual({ code: 1, lines: ['0 passed, 0 failed'] });
});
