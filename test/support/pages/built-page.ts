import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from '../scratch.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Writes a page as the build does, by default into a folder that is removed after the test. */
export function writePage(files: Readonly<Record<string, string>>, folder = temporaryFolder()) {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const listed = Object.entries(files).map(([name, text]) => {
    const [brotli, gzip] = [brotliCompressSync(text), gzipSync(text)];
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.br`), brotli);
    writeFileSync(join(folder, `${name}.gz`), gzip);
    const type = TYPES[name.split('.').at(-1) ?? ''];
    const bytes = Buffer.byteLength(text);
    return [name, { type, bytes, brotli: brotli.length, gzip: gzip.length }] as const;
  });
  const named = (part: string) => Object.keys(files).filter((name) => name.includes(part));
  const [style = '', script = ''] = [...named('style-'), ...named('main-')];
  const manifest = { style, script, parts: named('part-'), files: Object.fromEntries(listed) };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}
