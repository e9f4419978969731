import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { nodeRefusal } from '../src/node-version.ts';
import { run } from './support/processes/run.ts';

const ROOT = resolve(import.meta.dirname, '..');

test.each(['18.20.8', '20.18.3', '22.11.0'])('Node %s is refused, with what to do', (version) => {
  expect(nodeRefusal(version)).toBe(
    `this is Node ${version}, and confab needs 20.19, 22.12, 24.0 or later. ` +
      'Install Node 24, or the newest release of the version that you have.',
  );
});

test.each(['20.19.0', '20.20.2', '22.12.0', '22.23.3', '24.0.0', '24.21.0', '25.1.0', '26.10.0'])(
  'Node %s is not refused for its age',
  (version) => {
    expect(nodeRefusal(version)).toBe(undefined);
  },
);

test('package.json names the same versions', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(engines.node).toBe('^20.19.0 || ^22.12.0 || ^24.0.0');
});

/** Makes Node say that it is another one. */
const AS_NODE_18 = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });",
)}`;

test.each([
  { what: 'the server', file: () => join(inject('dist'), 'bundle', 'main.js') },
  { what: 'a command', file: () => join(inject('dist'), 'bundle', 'confab.js') },
  { what: 'the build', file: () => join(ROOT, 'src', 'bundle.mjs') },
])('$what ends with one line where Node is too old', async ({ file }) => {
  const ended = await run(process.execPath, ['--import', AS_NODE_18, file()]);
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^confab: this is Node 18.20.8, and confab needs [^\n]*\n$/),
  });
});

/** Makes Node say of each compiled package that the C library is too old for it. */
const AS_GLIBC_2_31 = `data:text/javascript,${encodeURIComponent(`
  process.dlopen = (module, file) => {
    const why = \`/lib/libc.so.6: version 'GLIBC_2.34' not found (required by \${file})\`;
    throw Object.assign(new Error(why), { code: 'ERR_DLOPEN_FAILED' });
  };
`)}`;

test('the server ends with one line where the C library is too old', async () => {
  const main = join(inject('dist'), 'bundle', 'main.js');
  const ended = await run(process.execPath, ['--import', AS_GLIBC_2_31, main]);
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^confab: a compiled package does not load: [^\n]*GLIBC_2.34[^\n]* confab needs Linux with glibc 2.34 or later,[^\n]*\n$/,
    ),
  });
});

test('no other file is loaded before that is known', () => {
  const entry = readFileSync(join(inject('dist'), 'bundle', 'main.js'), 'utf8');
  const imported = [...entry.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name);
  expect(imported).toEqual(['./node-version.js']);
});
