import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// The page of the console, as browsers get it: names with hashes, so that they are kept for good,
// and each file beside itself in the two forms that browsers unpack.

const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** Bundles the page into a folder, with a list of its files. */
export async function bundleConsole(rolldown, { root, dir }) {
  const source = join(root, 'web', 'console');
  const assets = join(dir, 'assets');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  const page = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { main: join(source, 'main.tsx') },
  });
  const { output } = await page.write({
    dir: assets,
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await page.close();
  const entry = output.find(({ isEntry }) => isEntry);

  const style = squeezed(stylesIn(source).join('\n'));
  const styleName = `style-${hashOf(style)}.css`;
  writeFileSync(join(assets, styleName), style);
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{style}', `assets/${styleName}`)
    .replace('{script}', `assets/${entry.fileName}`);
  writeFileSync(join(dir, 'index.html'), html);

  const names = ['index.html', ...readdirSync(assets).map((name) => `assets/${name}`)];
  for (const name of names) {
    const content = readFileSync(join(dir, name));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
  const files = Object.fromEntries(names.map((name) => [name, TYPES[name.split('.').at(-1)]]));
  writeFileSync(join(dir, 'files.json'), JSON.stringify({ style: `assets/${styleName}`, files }));
}

/** The parts of the style; a later one overrides those before it. */
const STYLES = ['base', 'frame', 'parts', 'views', 'narrow'];

function stylesIn(source) {
  const { resolve } = createRequire(import.meta.url);
  const own = STYLES.map((name) => join(source, 'style', `${name}.css`));
  return [resolve('uplot/dist/uPlot.min.css'), ...own].map((file) => readFileSync(file, 'utf8'));
}

const hashOf = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 8);

/** Removes comments and the white space between rules and declarations; there are no texts in them. */
const squeezed = (css) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}');
