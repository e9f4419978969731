import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, inject, onTestFinished, test } from 'vitest';
import { run } from '../support/processes/run.ts';

const BUNDLER = resolve(import.meta.dirname, '../../src/bundle.mjs');

test('the bundle is built when it is missing or stale, with one line, and otherwise left as it is', async () => {
  // Its packages are found above it, as those of dist/bundle are.
  const target = join(inject('dist'), 'again');
  onTestFinished(() => rmSync(target, { recursive: true, force: true }));
  const bundle = () => run(process.execPath, [BUNDLER, target]);
  const says = /^confab: building \S+again, once after a change … \d+\.\d s\n$/;

  expect(await bundle()).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(says) });
  expect(readdirSync(target)).toEqual(
    expect.arrayContaining(['main.js', 'confab.js', 'check-store.js', 'openapi.json']),
  );
  expect(statSync(join(target, 'confab.js')).mode & 0o111).not.toBe(0);
  const built = filesOf(target);

  expect(await bundle()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(filesOf(target)).toEqual(built);

  writeFileSync(`${target}.sha256`, 'of other sources\n');
  expect((await bundle()).stderr).toMatch(says);
  expect(filesOf(target)).not.toEqual(built);
});

/** Each file with what a build changes: its inode. */
const filesOf = (folder: string) =>
  readdirSync(folder).map((name) => ({ name, ino: statSync(join(folder, name)).ino }));

test('a page has its parts beside it in three forms, and what it loads later in a file of its own', async () => {
  const root = join(inject('dist'), 'pages');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const source = join(root, 'page');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), text);
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions: { paths: { '@a/b': ['./b.ts'] } } }));
  write('index.html', '<link href="/{style}"><script src="/{script}"></script>');
  write('main.tsx', "import { b } from '@a/b';\nconsole.log(b, import('./later.ts'));\n");
  write('b.ts', "export const b: string = 'of an alias';\n");
  write('later.ts', "export const later = 'needed later';\n");
  write('style/index.css', '/* it\'s */\n@import "./one.css";\n@import "./two.css";\n');
  write('style/one.css', 'p::before { content: "a;  b: c"; }\n');
  write('style/two.css', 'p { /* no */ color : red; margin: 0 1px; }\n');

  const dir = join(root, 'built');
  const { bundlePage } = (await import(PAGE_BUNDLER)) as { bundlePage: BundlePage };
  await bundlePage(rolldown, { root, source, dir });

  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  const names = Object.keys(manifest.files);
  const read = (name = '') => readFileSync(join(dir, name), 'utf8');
  const [later] = names.filter((name) => read(name).includes('needed later'));
  expect(names.sort()).toEqual(['index.html', manifest.style, manifest.script, later].sort());
  for (const name of [manifest.style, manifest.script, later]) {
    expect(name).toMatch(/^assets\/\w+-[\w-]{8}\.(?:js|css)$/);
  }
  expect(read(manifest.script)).toContain('of an alias');
  expect(manifest.parts).toEqual([]);
  expect(read('index.html')).toBe(
    `<link href="/${manifest.style}"><script src="/${manifest.script}"></script>`,
  );
  expect(read(manifest.style).trim()).toBe(
    'p::before{content:"a;  b: c"}p{color :red;margin:0 1px}',
  );
  for (const [name, listed] of Object.entries(manifest.files)) {
    const [plain, brotli, gzip] = ['', '.br', '.gz'].map((end) =>
      readFileSync(join(dir, name + end)),
    );
    expect(listed).toMatchObject({
      bytes: plain?.length,
      brotli: brotli?.length,
      gzip: gzip?.length,
    });
    expect(brotliDecompressSync(brotli ?? '')).toEqual(plain);
    expect(gunzipSync(gzip ?? '')).toEqual(plain);
  }

  // A change gives a file another name, so that no browser keeps the former one.
  write('style/two.css', 'p { color: blue; }\n');
  await bundlePage(rolldown, { root, source, dir });
  const changed = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  expect(changed.script).toBe(manifest.script);
  expect(changed.style).not.toBe(manifest.style);
});

const PAGE_BUNDLER = resolve(import.meta.dirname, '../../src/bundle-page.mjs');

type BundlePage = (
  bundler: typeof rolldown,
  page: { readonly root: string; readonly source: string; readonly dir: string },
) => Promise<void>;
