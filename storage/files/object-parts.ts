import type { ObjectStore } from '../objects/object-store.ts';
import { contentOfFile } from './file-content.ts';
import type { FileName, PartialFile, StoredFile } from './file-store.ts';
import type { Spool, SpoolFile } from './spool.ts';

interface PartsInput {
  readonly objects: ObjectStore;
  readonly spool: Spool;
  /** The keys of the realm's files begin with this. */
  readonly prefix: string;
  readonly keyOf: (name: FileName) => string;
  /** Opens a file that is whole, or was left without its end on the disk of a machine. */
  readonly openWhole: (name: FileName) => Promise<StoredFile | undefined>;
}

/** A part of a file that is not whole, as an object of its own. */
interface Part {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Digits of the offset in the key of a part: parts are listed in their order. */
const OFFSET_DIGITS = 15;

/**
 * Files that come in parts. Each sync stores what has come since the last one as an object, so that
 * any machine can go on; when all has come, the parts are put together as the object of the file.
 */
export function openObjectParts({ objects, spool, prefix, keyOf, openWhole }: PartsInput) {
  const folderOf = ({ folder, file }: FileName) => `${prefix}parts/${folder}${file}/`;
  const partKey = (name: FileName, start: number) =>
    `${folderOf(name)}${String(start).padStart(OFFSET_DIGITS, '0')}`;

  /** Returns the parts from the first byte on; those behind a gap are of no use. */
  async function partsOf(name: FileName): Promise<Part[]> {
    const parts: Part[] = [];
    let end = 0;
    for await (const { key, bytes } of objects.list(folderOf(name))) {
      const start = Number(key.slice(folderOf(name).length));
      if (start !== end) break;
      end = start + bytes;
      parts.push({ key, start, end });
    }
    return parts;
  }

  /** Stores the first bytes of a file that has no parts as one. */
  async function firstPart(name: FileName, offset: number): Promise<Part[]> {
    const whole = offset === 0 ? undefined : await openWhole(name);
    if (whole === undefined) return [];
    try {
      const part = { key: partKey(name, 0), start: 0, end: Math.min(whole.size, offset) };
      await objects.put(part.key, contentOfFile(whole, part.end));
      return [part];
    } finally {
      await whole.close();
    }
  }

  /** Cuts off what is behind an offset: the last parts first, so that no gap is left by a kill. */
  async function cut(name: FileName, parts: readonly Part[], offset: number): Promise<Part[]> {
    const kept: Part[] = [];
    for (const part of parts.toReversed()) {
      if (part.end <= offset) kept.unshift(part);
      else if (part.start >= offset) await objects.remove(part.key);
      else {
        await shorten(name, part, offset);
        kept.unshift({ ...part, end: offset });
      }
    }
    return kept;
  }

  async function shorten(name: FileName, { key, start }: Part, end: number) {
    const copy = await spool.create(name, { isNamed: false });
    try {
      let position = 0;
      for await (const chunk of objects.chunks(key, { start: 0, end: end - start })) {
        await copy.write(chunk, position);
        position += chunk.length;
      }
      await objects.put(key, copy.content());
    } finally {
      await copy.close();
    }
  }

  return {
    async goOn(name: FileName, offset: number): Promise<PartialFile> {
      const found = await partsOf(name);
      const parts =
        found.length === 0 ? await firstPart(name, offset) : await cut(name, found, offset);
      const file = await spool.create(name);
      return partialObject(file, {
        parts,
        objects,
        keyAt: (start) => partKey(name, start),
        key: keyOf(name),
      });
    },
    async sizeOf(name: FileName): Promise<number> {
      const last = (await partsOf(name)).at(-1);
      if (last !== undefined) return last.end;
      const whole = await openWhole(name);
      await whole?.close();
      return whole?.size ?? 0;
    },
    async remove(name: FileName) {
      const keys: string[] = [];
      for await (const { key } of objects.list(folderOf(name))) keys.push(key);
      for (const key of keys.reverse()) await objects.remove(key);
    },
  };
}

interface PartialInput {
  readonly parts: readonly Part[];
  readonly objects: ObjectStore;
  readonly keyAt: (start: number) => string;
  readonly key: string;
}

function partialObject(
  file: SpoolFile,
  { parts: before, objects, keyAt, key }: PartialInput,
): PartialFile {
  const start = before.at(-1)?.end ?? 0;
  const stored: string[] = before.map((part) => part.key);
  let synced = start;
  let end = start;
  return {
    start,
    async write(bytes) {
      await file.write(bytes, end);
      end += bytes.length;
    },
    async sync() {
      if (end === synced) return;
      const [from, bytes] = [synced, end - synced];
      await objects.put(keyAt(from), { ...file.content(from), bytes });
      stored.push(keyAt(from));
      synced = from + bytes;
    },
    async keep() {
      for (const part of before) {
        let position = part.start;
        for await (const chunk of objects.chunks(part.key)) {
          await file.write(chunk, position);
          position += chunk.length;
        }
        if (position !== part.end) throw new Error(`${part.key} is not what was stored`);
      }
      await objects.put(key, { ...file.content(), bytes: end });
    },
    async settle() {
      // A part that stays is removed with the file, or once it is a day old.
      for (const part of stored.toReversed()) {
        await objects.remove(part).catch(() => undefined);
      }
    },
    close: file.close,
  };
}
