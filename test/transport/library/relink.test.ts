import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOf, NEWER } from '../../../src/transport/library/packages.ts';
import { relinked } from '../../../src/transport/library/relink.ts';

const PACKAGES = path.resolve(import.meta.dirname, '../../../node_modules');

function build(arch: string) {
  const file = buildOf(NEWER, { platform: 'linux', arch, modules: '115' })?.file ?? '';
  return readFileSync(path.join(PACKAGES, NEWER.package, file));
}

/**
 * Relinking changes three symbols, each with an offset of four bytes and a version of two, and the
 * flags of one version.
 */
const CHANGED_BYTES_MAX = 3 * (4 + 2) + 2;

test.each(['x64', 'arm64'])('a build for %s is linked to older names in a few bytes', (arch) => {
  const before = build(arch);
  const after = relinked(before);
  if (after === undefined) throw new Error('nothing was relinked');
  expect(after.length).toBe(before.length);
  let changed = 0;
  for (let at = 0; at < before.length; at += 1) if (before[at] !== after[at]) changed += 1;
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThanOrEqual(CHANGED_BYTES_MAX);
});

test('what is relinked already, or is no such file, is left alone', () => {
  const after = relinked(build('x64'));
  if (after === undefined) throw new Error('nothing was relinked');
  expect(Buffer.compare(relinked(after) ?? Buffer.alloc(0), after)).toBe(0);
  expect(
    relinked(Buffer.from('#!/bin/sh\necho this is no library, and long enough to look like one')),
  ).toBe(undefined);
});
