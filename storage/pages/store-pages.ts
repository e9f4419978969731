import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Reads the file of an LMDB environment by plain reads, so that nothing in it, however damaged,
 * ends the process: touching a mapped page that is missing does (SIGBUS). Numbers are little-endian
 * and of 64 bits, as on all machines for which lmdb brings binaries.
 */
export interface StorePages {
  readonly fileBytes: number;
  readonly metas: readonly [Meta, Meta];
  /** The one of `metas` that the newest commit wrote. */
  readonly meta: Meta;
  /** Throws `PageFault` for a page that is not in the file, or has another number. */
  page(number: number): Buffer;
  /** The leaves of a tree, in order; each page of it is looked at. */
  leaves(root: number, visit?: (page: number, count: number) => void): Generator<Leaf>;
  /** The bytes of a leaf's value, wherever they are. */
  value(leaf: Leaf, visit?: (page: number, count: number) => void): Buffer;
  close(): void;
}

export class PageFault extends Error {}

export interface Meta {
  readonly transaction: number;
  readonly lastPage: number;
  readonly pageBytes: number;
  /** Roots of the tree of free pages, and of the tree of the tables' names. */
  readonly freeRoot: number;
  readonly mainRoot: number;
  /** The same trees, as they are described. */
  readonly free: TreeRecord;
  readonly main: TreeRecord;
}

/** LMDB's record of a tree, which names its root. */
export interface TreeRecord {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  readonly root: number;
}

export interface Leaf {
  readonly key: Buffer;
  /** The root of a table, if the leaf is one of the tables' names. */
  readonly root: number | undefined;
  readonly value: Buffer;
  /** Bytes of the value, wherever they are. */
  readonly length: number;
  readonly isApart: boolean;
}

/** No tree has this root: it is empty. */
export const NO_PAGE = -1;

export const HEAD_BYTES = 24;
const META_BYTES = 136;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
export const BRANCH = 1;
export const LEAF = 2;
const OVERFLOW = 4;
const META = 8;
export const NODE_BYTES = 8;
export const BIG = 1;
export const SUBTREE = 2;
/** No tree of LMDB is deeper. */
export const DEPTH_MAX = 32;

export function openStorePages(path: string): StorePages {
  // Opening anything else may take for ever.
  if (!statSync(path).isFile()) throw new PageFault('it is no file');
  const file = openSync(path, 'r');
  try {
    return pagesOf(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function pagesOf(file: number): StorePages {
  const fileBytes = fstatSync(file).size;
  const at = (position: number, bytes: number): Buffer => {
    const room = Buffer.alloc(bytes);
    const read = readSync(file, room, 0, bytes, position);
    if (read < bytes) throw new PageFault(`the file ends at ${fileBytes} bytes`);
    return room;
  };
  const metas = metasIn(at);
  const [first, second] = metas;
  const meta = first.transaction > second.transaction ? first : second;
  const { pageBytes } = meta;
  const checked = (page: Buffer, number: number, count = 1) => {
    if (numberAt(page, 0) !== number) throw new PageFault(`page ${number} is not what was written`);
    if (number + count - 1 > meta.lastPage) throw new PageFault(`page ${number} is past the last`);
    return page;
  };
  const page = (number: number) => checked(at(number * pageBytes, pageBytes), number);

  function* leaves(
    root: number,
    visit: (page: number, count: number) => void = () => undefined,
    depth = 0,
  ): Generator<Leaf> {
    if (root === NO_PAGE) return;
    if (depth > DEPTH_MAX) throw new PageFault(`page ${root} leads in a circle`);
    const bytes = page(root);
    visit(root, 1);
    const flags = bytes.readUInt16LE(18);
    for (const node of nodesOf(bytes, root)) {
      if ((flags & BRANCH) !== 0) yield* leaves(childOf(bytes, node), visit, depth + 1);
      else yield leafAt(bytes, node, root);
    }
  }

  return {
    fileBytes,
    metas,
    meta,
    page,
    leaves: (root, visit) => leaves(root, visit),
    value(leaf, visit = () => undefined) {
      if (!leaf.isApart) return leaf.value;
      const number = numberAt(leaf.value, 0);
      const count = numberAt(leaf.value, 16);
      const first = page(number);
      const isOverflow = (first.readUInt16LE(18) & OVERFLOW) !== 0;
      if (!isOverflow || first.readUInt32LE(20) !== count) {
        throw new PageFault(`page ${number} is not what was written`);
      }
      checked(first, number, count);
      visit(number, count);
      return at(number * pageBytes, count * pageBytes).subarray(HEAD_BYTES);
    },
    close: () => closeSync(file),
  };
}

function metasIn(at: (position: number, bytes: number) => Buffer): [Meta, Meta] {
  const first = metaIn(at(0, HEAD_BYTES + META_BYTES), 0);
  const second = metaIn(at(first.pageBytes, HEAD_BYTES + META_BYTES), 1);
  if (first.pageBytes !== second.pageBytes) throw new PageFault('its first two pages differ');
  // Commit n writes page n modulo 2, and no other. Anything else there was not written by LMDB.
  const isWhole =
    Math.abs(first.transaction - second.transaction) === 1 &&
    first.transaction % 2 === 0 &&
    second.transaction % 2 === 1;
  if (!isWhole)
    throw new PageFault('its first two pages are not of two commits, one after the other');
  return [first, second];
}

function metaIn(bytes: Buffer, number: number): Meta {
  const meta = bytes.subarray(HEAD_BYTES);
  const isMeta =
    numberAt(bytes, 0) === number &&
    bytes.readUInt16LE(18) === META &&
    meta.readUInt32LE(0) === MAGIC &&
    meta.readUInt32LE(4) === VERSION;
  if (!isMeta) throw new PageFault(`page ${number} is not what was written`);
  const pageBytes = meta.readUInt32LE(24);
  const isSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  const lastPage = numberAt(meta, 120);
  if (!isSize || lastPage < 1) throw new PageFault(`page ${number} is not what was written`);
  return {
    transaction: numberAt(meta, 128),
    lastPage,
    pageBytes,
    freeRoot: numberAt(meta, 64),
    mainRoot: numberAt(meta, 112),
    free: treeRecordIn(meta.subarray(24)),
    main: treeRecordIn(meta.subarray(72)),
  };
}

export const treeRecordIn = (bytes: Buffer): TreeRecord => ({
  depth: bytes.readUInt16LE(6),
  branchPages: numberAt(bytes, 8),
  leafPages: numberAt(bytes, 16),
  overflowPages: numberAt(bytes, 24),
  entries: numberAt(bytes, 32),
  root: numberAt(bytes, 40),
});

/** Numbers of pages and commits are far below what a double holds; -1 stands for none. */
export const numberAt = (bytes: Buffer, offset: number) => Number(bytes.readBigInt64LE(offset));

/** The nodes of a page begin here. */
export function* nodesOf(bytes: Buffer, number: number): Generator<number> {
  const flags = bytes.readUInt16LE(18);
  const end = bytes.readUInt16LE(20) + HEAD_BYTES;
  const isTree = (flags & (BRANCH | LEAF)) !== 0 && (flags & (OVERFLOW | META)) === 0;
  if (!isTree || end > bytes.length) throw new PageFault(`page ${number} is not what was written`);
  for (let index = HEAD_BYTES; index < end; index += 2) {
    const node = bytes.readUInt16LE(index) + HEAD_BYTES;
    if (node < end || node + NODE_BYTES > bytes.length) {
      throw new PageFault(`page ${number} is not what was written`);
    }
    yield node;
  }
}

export const childOf = (bytes: Buffer, node: number) =>
  bytes.readUInt16LE(node) +
  bytes.readUInt16LE(node + 2) * 2 ** 16 +
  bytes.readUInt16LE(node + 4) * 2 ** 32;

export function leafAt(bytes: Buffer, node: number, number: number): Leaf {
  const flags = bytes.readUInt16LE(node + 4);
  const length = bytes.readUInt16LE(node) + bytes.readUInt16LE(node + 2) * 2 ** 16;
  const keyEnd = node + NODE_BYTES + bytes.readUInt16LE(node + 6);
  const isApart = (flags & BIG) !== 0;
  const end = keyEnd + (isApart ? 24 : length);
  if (end > bytes.length) throw new PageFault(`page ${number} is not what was written`);
  const value = bytes.subarray(keyEnd, end);
  const isTree = (flags & SUBTREE) !== 0 && value.length >= 48;
  return {
    key: bytes.subarray(node + NODE_BYTES, keyEnd),
    root: isTree ? numberAt(value, 40) : undefined,
    value,
    length,
    isApart,
  };
}

/**
 * Reads a count, then pages. A negative number says that a run of so many begins with the next
 * number; zeros are gaps.
 */
export function* freePagesIn(value: Buffer, lastPage: number): Generator<number> {
  const entries = numberAt(value, 0);
  if (entries < 0 || entries * 8 + 8 > value.length) {
    throw new PageFault('a list of free pages is longer than its value');
  }
  let length = 1;
  for (let index = 1; index <= entries; index++) {
    const entry = numberAt(value, index * 8);
    if (entry < 0) length = -entry;
    else if (entry > 0) {
      if (entry + length - 1 > lastPage) throw new PageFault(`there is no free page ${entry}`);
      for (let page = entry; page < entry + length; page++) yield page;
      length = 1;
    }
  }
}
