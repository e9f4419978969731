import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// A page of ours, as browsers get it: names with hashes, so that they are kept for good, and each
// file beside itself in the two forms that browsers unpack. A page is a folder of `web` with
// `index.html`, `main.tsx`, `style/index.css` and `tsconfig.json`, whose `paths` hold here as well.

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

/** What a page is bundled from and how, for the bundler to build it once or to watch it. */
export const pageOptions = ({ root, source, dir, isMinified = true }) => ({
  cwd: root,
  platform: 'browser',
  tsconfig: join(source, 'tsconfig.json'),
  input: { main: join(source, 'main.tsx') },
  output: {
    dir: join(dir, 'assets'),
    format: 'esm',
    minify: isMinified,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  },
});

/** Bundles the page of the folder `source` into the folder `dir`, with a list of its files. */
export async function bundlePage(rolldown, { root, source, dir }) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, 'assets'), { recursive: true });
  const { output, ...input } = pageOptions({ root, source, dir });
  const page = await rolldown(input);
  const built = await page.write(output);
  await page.close();
  finishPage({ source, dir, output: built.output });
}

/** Writes what the bundler does not: style, document, packed forms, and the list of all of them. */
export function finishPage({ source, dir, output }) {
  const entry = output.find(({ isEntry }) => isEntry);
  const scripts = output.filter(({ fileName }) => fileName.endsWith('.js'));
  const style = squeezed(stylesOf(join(source, 'style', 'index.css')));
  const named = {
    style: `assets/style-${hashOf(style)}.css`,
    script: `assets/${entry.fileName}`,
    // They are loaded with the script; those that it imports when it needs them are not.
    parts: importedBy(entry, scripts).map((name) => `assets/${name}`),
  };
  writeFileSync(join(dir, named.style), style);
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replaceAll('{style}', named.style)
    .replaceAll('{script}', named.script);
  writeFileSync(join(dir, 'index.html'), html);
  const names = ['index.html', named.style, ...output.map(({ fileName }) => `assets/${fileName}`)];
  const files = Object.fromEntries(names.map((name) => [name, packed(dir, name)]));
  writeFileSync(join(dir, 'manifest.json'), `${JSON.stringify({ ...named, files }, null, 1)}\n`);
}

/** Returns the names of the chunks that a chunk imports at once, and those that they import. */
function importedBy(chunk, chunks) {
  const found = new Set();
  const visit = ({ imports = [] }) => {
    for (const name of imports) {
      const next = chunks.find(({ fileName }) => fileName === name);
      if (next === undefined || found.has(name)) continue;
      found.add(name);
      visit(next);
    }
  };
  visit(chunk);
  return [...found];
}

/** Writes the packed forms of a file beside it; returns its type and the bytes of each form. */
function packed(dir, name) {
  const type = TYPES[name.split('.').at(-1)];
  if (type === undefined) throw new Error(`src/bundle-page.mjs knows no type for ${name}`);
  const content = readFileSync(join(dir, name));
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const brotli = brotliCompressSync(content, { params });
  const gzip = gzipSync(content, { level: 9 });
  writeFileSync(join(dir, `${name}.br`), brotli);
  writeFileSync(join(dir, `${name}.gz`), gzip);
  return { type, bytes: content.length, brotli: brotli.length, gzip: gzip.length };
}

const IMPORT = /^@import "([^"]+)";$/gm;

/**
 * Returns a style with those that it imports in their places. A name that begins with a dot is a
 * file beside it, any other one a file of a package.
 */
function stylesOf(file) {
  const { resolve } = createRequire(file);
  return readFileSync(file, 'utf8').replace(IMPORT, (_, name) =>
    stylesOf(name.startsWith('.') ? join(dirname(file), name) : resolve(name)),
  );
}

const hashOf = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 8);

const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const TEXT = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;

/** Removes comments and the white space between rules and declarations, and leaves texts alone. */
const squeezed = (css) =>
  css
    .replace(COMMENT_OR_TEXT, (part) => (part.startsWith('/*') ? '' : part))
    .split(TEXT)
    .map((part, index) => (index % 2 === 1 ? part : squeezedRules(part)))
    .join('');

const squeezedRules = (rules) =>
  rules
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}');
