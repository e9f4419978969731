import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Which layer may import which; the rest of `src` joins them and may import anything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/transport': ['src/endpoints', 'src/events', 'src/domain'],
  'src/endpoints': ['src/operations', 'actors', 'src/events', 'src/domain'],
  'src/operations': ['storage', 'src/events', 'src/domain'],
  'src/archives': ['src/operations', 'storage', 'src/domain'],
  actors: ['storage', 'src/events', 'src/domain'],
  storage: ['src/domain'],
  'src/events': ['src/domain'],
  'src/domain': [],
};

/** Packages that one layer alone may use, or may not. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  'uWebSockets.js': ['src/transport'],
  xstate: ['actors', 'src/app.ts'],
  lmdb: ['storage'],
  yazl: ['src/archives'],
  yauzl: ['src/archives'],
};

const files = ['src', 'actors', 'storage'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

test('nothing imports upwards', () => {
  const wrong = files.flatMap((file) => {
    const allowed = MAY_IMPORT[layerOf(file)];
    if (allowed === undefined) return [];
    return importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
      .filter((target) => layerOf(target) !== layerOf(file) && !allowed.includes(layerOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(files.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('the socket library, the store and xstate are each used in their layer alone', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => ONLY_IN[name]?.every((place) => !file.startsWith(place)))
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

function layerOf(file: string): string {
  const layers = Object.keys(MAY_IMPORT);
  return layers.find((layer) => file.startsWith(`${layer}/`)) ?? 'the joints';
}

const importsOf = (file: string) =>
  Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import) '([^']+)'/g),
    ([, name]) => name ?? '',
  );
