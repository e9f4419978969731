import { dirname, join, relative, resolve } from 'node:path';

// JavaScript, so that a program that collects tests can load it without a build.

export const builtServer = ({ root, dist }) => ({
  name: 'built-server',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.') || !source.endsWith('.ts')) return null;
    const path = relative(root, resolve(dirname(importer), source));
    if (!/^(?:src|actors|storage|bench)\//.test(path)) return null;
    return join(dist, path.replace(/ts$/, 'js'));
  },
});

export const EXTERNAL = [/\/dist-test-/];
