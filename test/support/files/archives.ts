import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { temporaryFolder } from '../scratch.ts';

/** The files of an archive, by path. */
export type Contents = Map<string, Buffer>;

export async function contentsOf(file: string): Promise<Contents> {
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true });
  const contents: Contents = new Map();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    contents.set(entry.fileName, Buffer.concat(chunks));
  }
  zip.close();
  return contents;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of all tables, that a test changes to what they may not be.
export type Line = any;

export const linesIn = (contents: Contents, path: string): Line[] =>
  (contents.get(path) ?? Buffer.alloc(0))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

export const linesOf = (contents: Contents, table: string): Line[] =>
  linesIn(contents, `tables/${table}.jsonl`);

export function setLines(contents: Contents, table: string, lines: readonly Line[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  contents.set(`tables/${table}.jsonl`, Buffer.from(text));
}

/** Has the manifest say what is there. */
export function seal(contents: Contents) {
  const manifest = JSON.parse(contents.get('manifest.json')?.toString('utf8') ?? '{}') as Line;
  const stated = (path: string) => {
    const content = contents.get(path) ?? Buffer.alloc(0);
    return {
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
  };
  for (const table of manifest.tables) {
    const path = `tables/${table.name}.jsonl`;
    Object.assign(table, stated(path), { rows: linesIn(contents, path).length });
  }
  const count = linesIn(contents, 'files.jsonl').length;
  Object.assign(manifest.files, stated('files.jsonl'), { count });
  contents.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
}

/**
 * Writes all files as an archive. Names may be replaced by others of the same length, which the
 * library would not write.
 */
export async function packed(contents: Contents, names: Readonly<Record<string, string>> = {}) {
  const file = join(temporaryFolder(), 'packed.zip');
  const zip = new ZipFile();
  for (const [path, content] of contents) zip.addBuffer(content, path);
  zip.end();
  const out = createWriteStream(file);
  zip.outputStream.pipe(out);
  await finished(out);
  if (Object.keys(names).length === 0) return file;
  let bytes = readFileSync(file).toString('latin1');
  for (const [from, to] of Object.entries(names)) bytes = bytes.replaceAll(from, to);
  writeFileSync(file, Buffer.from(bytes, 'latin1'));
  return file;
}
