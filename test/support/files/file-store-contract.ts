import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { png } from './images.ts';

const NAME = { folder: 'ab', file: 'x'.repeat(24) };

/** Says what holds of every store of files, wherever the bytes are. */
export function expectFileStore(open: () => FileStore | Promise<FileStore>) {
  test('a file is there when it is kept, and not before', async () => {
    const files = await open();
    const incoming = await files.receive(NAME);
    await incoming.write(Buffer.from('hel'));
    await incoming.write(Buffer.from('lo'));
    expect(await files.open(NAME)).toBe(undefined);
    await incoming.keep();
    expect(await textOf(files)).toBe('hello');
    await incoming.settle();
    expect(await files.sizeOf(NAME)).toBe(5);
    const stored = await files.open(NAME);
    const bytes = await stored?.read(Buffer.alloc(100), 1);
    expect(Buffer.from(bytes ?? []).toString()).toBe('ello');
    await stored?.close();
    await files.remove(NAME);
    await files.remove(NAME);
    expect(await files.open(NAME)).toBe(undefined);
    expect(await files.sizeOf(NAME)).toBe(0);
  });

  test('a file that is discarded is not there, kept or not', async () => {
    const files = await open();
    await (await files.receive(NAME)).discard();
    const incoming = await files.receive(NAME);
    await incoming.write(Buffer.from('hello'));
    await incoming.keep();
    await incoming.discard();
    expect(await files.open(NAME)).toBe(undefined);
  });

  test('a long file is read in any order, in pieces of any size', async () => {
    const files = await open();
    const content = randomBytes(9_000_000);
    const incoming = await files.receive(NAME);
    for (let at = 0; at < content.length; at += 700_000) {
      await incoming.write(content.subarray(at, at + 700_000));
    }
    await incoming.keep();
    await incoming.settle();
    const stored = await files.open(NAME);
    if (stored === undefined) return expect.fail('it was kept');
    expect(stored.size).toBe(content.length);
    const read: Buffer[] = [];
    for (let at = 0; at < content.length; at += 131_072) {
      read.push(Buffer.from(await stored.read(Buffer.alloc(131_072), at)));
    }
    expect(Buffer.concat(read).equals(content)).toBe(true);
    for (const at of [8_999_999, 0, 1, 4_000_000, 4_000_100, 3_999_990]) {
      const bytes = await stored.read(Buffer.alloc(100), at);
      expect(bytes.equals(content.subarray(at, at + 100))).toBe(true);
    }
    expect((await stored.read(Buffer.alloc(100), content.length)).length).toBe(0);
    await stored.close();
  });

  test('an empty file is a file', async () => {
    const files = await open();
    const incoming = await files.receive(NAME);
    await incoming.keep();
    await incoming.settle();
    expect(await textOf(files)).toBe('');
  });

  test('a file comes in parts, and is there once it is kept', async () => {
    const files = await open();
    const first = await files.goOn(NAME, 0);
    expect(first.start).toBe(0);
    await first.write(Buffer.from('hel'));
    await first.sync();
    await first.write(Buffer.from('lo, '));
    await first.sync();
    await first.close();
    expect(await files.sizeOf(NAME)).toBe(7);
    const second = await files.goOn(NAME, 7);
    expect(second.start).toBe(7);
    await second.write(Buffer.from('world'));
    await second.sync();
    await second.keep();
    expect(await textOf(files)).toBe('hello, world');
    await second.settle();
    await second.close();
    expect(await textOf(files)).toBe('hello, world');
    expect(await files.sizeOf(NAME)).toBe(12);
    await files.remove(NAME);
    expect(await files.sizeOf(NAME)).toBe(0);
  });

  test.each([1, 3, 5, 6, 0])('what is behind offset %i is cut off', async (offset) => {
    const files = await open();
    for (const [at, text] of [
      [0, 'abc'],
      [3, 'def'],
      [6, 'ghi'],
    ] as const) {
      const part = await files.goOn(NAME, at);
      await part.write(Buffer.from(text));
      await part.sync();
      await part.close();
    }
    const cut = await files.goOn(NAME, offset);
    expect(cut.start).toBe(offset);
    await cut.write(Buffer.from('XYZ'));
    await cut.sync();
    await cut.keep();
    await cut.settle();
    await cut.close();
    expect(await textOf(files)).toBe(`${'abcdefghi'.slice(0, offset)}XYZ`);
  });

  test('a file of which less is there than was said goes on where it ends', async () => {
    const files = await open();
    const part = await files.goOn(NAME, 0);
    await part.write(Buffer.from('abc'));
    await part.sync();
    await part.close();
    const next = await files.goOn(NAME, 10);
    expect(next.start).toBe(3);
    await next.close();
  });

  test('a file that was kept and has no row yet goes on before its end', async () => {
    const files = await open();
    const part = await files.goOn(NAME, 0);
    await part.write(Buffer.from('abcdef'));
    await part.sync();
    await part.keep();
    await part.close();
    const next = await files.goOn(NAME, 3);
    expect(next.start).toBe(3);
    await next.write(Buffer.from('DEF'));
    await next.sync();
    await next.keep();
    await next.settle();
    await next.close();
    expect(await textOf(files)).toBe('abcDEF');
  });

  test('an image is measured while it is received and later, and is shrunk', async () => {
    const files = await open();
    const incoming = await files.receive(NAME);
    await incoming.write(await png(2000, 1000));
    await incoming.keep();
    expect(await files.measure(NAME)).toEqual({ width: 2000, height: 1000, isAnimated: false });
    await incoming.settle();
    expect(await files.measure(NAME)).toEqual({ width: 2000, height: 1000, isAnimated: false });
    const small = { folder: NAME.folder, file: `${NAME.file}-840x560` };
    expect(await files.shrink(NAME, { to: small, isMoving: false })).toBe(true);
    expect((await files.measure(small))?.width).toBe(840);
    const text = { folder: 'cd', file: 'y'.repeat(24) };
    const other = await files.receive(text);
    await other.write(Buffer.from('no image'));
    await other.keep();
    await other.settle();
    expect(await files.measure(text)).toBe(undefined);
    expect(await files.shrink(text, { to: small, isMoving: false })).toBe(false);
  });

  test('a file that is removed while somebody holds files can be opened until that is over', async () => {
    const files = await open();
    const incoming = await files.receive(NAME);
    await incoming.write(Buffer.from('hello'));
    await incoming.keep();
    await incoming.settle();
    const releases = [files.hold(), files.hold()];
    await files.remove(NAME);
    await files.remove(NAME);
    for (const release of releases) {
      expect(await textOf(files)).toBe('hello');
      await release();
    }
    expect(await files.open(NAME)).toBe(undefined);
  });

  test.each([
    { folder: '..', file: 'x'.repeat(24) },
    { folder: 'abc', file: 'x'.repeat(24) },
    { folder: 'ab', file: '../../../../etc/passwd' },
    { folder: 'ab', file: '' },
  ])('a name that is none of its own leads nowhere: $folder/$file', async (name) => {
    const files = await open();
    for (const use of [files.open, files.receive, files.remove, files.sizeOf]) {
      await expect(async () => await use(name)).rejects.toThrow(/no name of a file/);
    }
    await expect(async () => await files.goOn(name, 0)).rejects.toThrow(/no name of a file/);
  });

  async function textOf(files: FileStore): Promise<string> {
    const stored = await files.open(NAME);
    if (stored === undefined) return expect.fail('there is a file');
    try {
      return Buffer.from(await stored.read(Buffer.alloc(100), 0)).toString();
    } finally {
      await stored.close();
    }
  }
}
