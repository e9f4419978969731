import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/**
 * A page loads one file at once, and after its first view the parts that have a group here. Each
 * also has what other parts share with it, because a browser waits for a file and then for what
 * that imports.
 */
const GROUPS = [
  { name: 'main', tags: ['$initial'], priority: 4 },
  { name: 'following', test: /[\\/]net[\\/]following\.ts$/, priority: 3 },
  {
    // Files are attached when the network is away as well.
    name: 'writing',
    test: /[\\/]compose[\\/](?:writing\.tsx|attached\.ts)$|[\\/]kept-files\.ts$/,
    priority: 2,
  },
  {
    name: 'beside',
    test: /[\\/]views[\\/]feed[\\/]|[\\/](?:right-column|search-box|menu-list|dialog|hand-over)\.tsx?$/,
    priority: 1,
  },
];

/**
 * Returns what the bundler is told of the page in the folder `source`, which goes to the folder
 * `dir` with a list of its files. Pages that a developer looks at can be read, and load a further
 * script.
 */
export function pageOptions({ root, source, dir, devScript }) {
  const isDev = devScript !== undefined;
  return {
    cwd: root,
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    input: { main: join(source, 'main.tsx') },
    preserveEntrySignatures: 'allow-extension',
    // The plugin packs files for as long as it takes; the bundler would warn of that.
    checks: { pluginTimings: false },
    plugins: [
      {
        name: 'page',
        buildStart() {
          for (const file of [join(source, 'index.html'), ...partsOf(styleOf(source))]) {
            this.addWatchFile(file);
          }
        },
        // The style of a part that is loaded later is a text in its script.
        load(id) {
          if (!id.endsWith('.css')) return null;
          const code = `export const style = ${JSON.stringify(squeezed(textOf(id)))};`;
          return { code, moduleType: 'js' };
        },
        writeBundle(_, output) {
          finishPage({ source, dir, devScript, output: Object.values(output) });
        },
      },
    ],
    output: {
      dir: join(dir, 'assets'),
      format: 'esm',
      minify: !isDev,
      // Comments that tell a bundler what to leave out are of no use to a browser.
      comments: isDev,
      sourcemap: isDev ? 'inline' : false,
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups: GROUPS },
    },
  };
}

/** Bundles a page once. */
export async function bundlePage(rolldown, { root, source, dir }) {
  const { output, ...input } = pageOptions({ root, source, dir });
  const page = await rolldown(input);
  await page.write(output);
  await page.close();
}

/** Writes what the bundler does not: style, document, packed forms, and the list of all of them. */
function finishPage({ source, dir, devScript, output }) {
  const entry = output.find(({ isEntry }) => isEntry);
  const style = squeezed(textOf(styleOf(source)));
  const named = {
    style: `assets/style-${hashOf(style)}.css`,
    script: `assets/${entry.fileName}`,
    // They are loaded with the script; those that it imports when it needs them are not.
    parts: importedBy(entry, output).map((name) => `assets/${name}`),
  };
  writeFileSync(join(dir, named.style), style);
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replaceAll('{style}', named.style)
    .replaceAll('{script}', named.script);
  writeFileSync(join(dir, 'index.html'), html);
  const names = ['index.html', named.style, ...output.map(({ fileName }) => `assets/${fileName}`)];
  if (devScript !== undefined) {
    writeFileSync(join(dir, 'assets', 'dev.js'), devScript);
    writeFileSync(join(dir, 'index.html'), html.replace('</head>', DEV_SCRIPT));
    names.push('assets/dev.js');
  }
  for (const name of plainNames(source)) {
    copyFileSync(join(source, 'static', name), join(dir, name));
    names.push(name);
  }
  const files = Object.fromEntries(names.map((name) => [name, packed(dir, name)]));
  writeFileSync(join(dir, 'manifest.json'), `${JSON.stringify({ ...named, files }, null, 1)}\n`);
}

/** Lists the files that browsers ask for by fixed names, such as a service worker. */
const plainNames = (source) =>
  existsSync(join(source, 'static')) ? readdirSync(join(source, 'static')).sort() : [];

const DEV_SCRIPT = '<script type="module" src="/assets/dev.js"></script>\n</head>';

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

const styleOf = (source) => join(source, 'style', 'index.css');

const IMPORT = /^@import "([^"]+)";$/gm;

/**
 * Returns the file that a style imports by this name: one beside it if the name begins with a dot,
 * else one of a package.
 */
const imported = (file, name) =>
  name.startsWith('.') ? join(dirname(file), name) : createRequire(file).resolve(name);

/** Returns a style with those that it imports in their places. */
const textOf = (file) =>
  readFileSync(file, 'utf8').replace(IMPORT, (_, name) => textOf(imported(file, name)));

/** Lists the files of a style. */
const partsOf = (file) => [
  file,
  ...Array.from(readFileSync(file, 'utf8').matchAll(IMPORT), ([, name]) =>
    imported(file, name),
  ).flatMap(partsOf),
];

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
