import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { onTestFinished } from 'vitest';
import { openArchiveSource } from '../../../src/imports/sources/open-archive.ts';
import { temporaryFolder } from '../../support/scratch.ts';

/** An entry of a zip, which may say other things of itself than are true. */
export interface ZipEntry {
  readonly name: string | Buffer;
  readonly content?: Buffer;
  readonly saysSize?: number;
  /** The mode of the file, as Unix has it. */
  readonly mode?: number;
  /** The position of the local header; another entry's, for one that overlaps. */
  readonly at?: number;
}

/** Writes a zip byte by byte: writers of zips refuse what these tests need. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, content = Buffer.alloc(0), saysSize, mode = 0o100644, at: given } of entries) {
    const bytes = Buffer.isBuffer(name) ? name : Buffer.from(name);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(saysSize ?? content.length, 18);
    common.writeUInt16LE(bytes.length, 22);
    const head = Buffer.alloc(46);
    head.write('PK\x01\x02', 'latin1');
    head.writeUInt16LE(0x0314, 4);
    common.copy(head, 6);
    head.writeUInt32LE((mode << 16) >>> 0, 38);
    head.writeUInt32LE(given ?? at, 42);
    central.push(head, bytes);
    if (given !== undefined) continue;
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, bytes, packed]);
    locals.push(local);
    at += local.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(entries.length, 0xfffe), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xfffe), 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, list, end]);
}

/** Writes a tar of headers, of which some have content. */
export async function tarOf(
  entries: readonly (Headers & { readonly content?: string })[],
): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry(header, content);
  tar.finalize();
  return await buffer(tar);
}

/** Writes a tar header by hand, with a size that need not be true. */
export function tarHeader(name: string, type: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export const packed = (bytes: Buffer): Buffer => gzipSync(bytes);

/** Writes an archive to a file of this name and opens it. */
export async function opened(name: string, bytes: Buffer) {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  const archive = await openArchiveSource(path);
  onTestFinished(archive.close);
  return archive;
}
