import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  SERVICE_FEATURE_LEVEL,
  SERVICE_MERGE_BASE,
  SERVICE_VERSION,
} from '../../src/domain/version.ts';

test('the version told to clients is that of the package', () => {
  const packageFile = new URL('../../package.json', import.meta.url);
  expect(JSON.parse(readFileSync(packageFile, 'utf8'))).toMatchObject({ version: SERVICE_VERSION });
});

test('the merge base equals the version, as this is no fork', () => {
  expect(SERVICE_MERGE_BASE).toBe(SERVICE_VERSION);
});

test('the feature level is the one the reference targets', () => {
  expect(SERVICE_FEATURE_LEVEL).toBe(420);
});
