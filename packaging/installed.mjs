import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Packages that nothing misses: a slower fallback of the socket library with what it needs, a
 * quicker decoder of texts that msgpackr does without, headers for compilers.
 */
const WITHOUT = new Set([
  'ws',
  'msgpackr-extract',
  'bufferutil',
  'utf-8-validate',
  'node-addon-api',
]);

/**
 * Returns installed packages by their paths, with all that they need, also those that are
 * installed below one of them. Optional ones that are not installed are for other systems.
 */
export function installedBelow(names, modules) {
  const found = new Map();
  const waiting = names.map((name) => name);
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (found.has(at)) continue;
    const manifest = JSON.parse(readFileSync(join(modules, at, 'package.json'), 'utf8'));
    const below = neededBy(manifest).flatMap((name) => {
      const paths = [`${at}/node_modules/${name}`, name];
      const path = paths.find((each) => existsSync(join(modules, each)));
      return path === undefined ? [] : [{ name, path }];
    });
    waiting.push(...below.map(({ path }) => path));
    found.set(at, { manifest, below: below.map(({ name }) => name) });
  }
  return found;
}

const neededBy = ({ dependencies = {}, optionalDependencies = {} }) =>
  Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !WITHOUT.has(name));
