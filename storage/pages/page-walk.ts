import {
  BIG,
  BRANCH,
  childOf,
  DEPTH_MAX,
  freePagesIn,
  HEAD_BYTES,
  LEAF,
  type Leaf,
  leafAt,
  NO_PAGE,
  NODE_BYTES,
  nodesOf,
  numberAt,
  PageFault,
  type StorePages,
  SUBTREE,
  type TreeRecord,
  treeRecordIn,
} from './store-pages.ts';

/** A walk through all pages has seen this. */
export interface WalkedPages {
  /** Trees by the names that the tables have in the store. */
  readonly tables: ReadonlyMap<string, TreeRecord>;
  readonly used: number;
  readonly free: number;
}

/** Hears of each fault, by the table whose tree it is in. */
export type NotePage = (table: string, fault: { what: string; where: string }) => void;

type Compare = (one: Buffer, other: Buffer) => number;

interface Tree {
  readonly name: string;
  readonly record: TreeRecord;
  readonly compare: Compare;
  readonly onLeaf: (leaf: Leaf) => void;
}

interface Span {
  readonly depth: number;
  /** Keys are at or above `low`, and below `high`. */
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
  /** No page is newer than the one that leads to it. */
  readonly transaction: number;
}

const FREE_TREE = 'free pages';
const MAIN_TREE = 'tables';

/**
 * Follows every tree of a store page by page, with plain reads, so that nothing damaged is mapped
 * into memory. Holds a bit for each page of the file and the pages between a root and one leaf.
 * Yields after each page.
 */
export function* walkPages(pages: StorePages, note: NotePage): Generator<void, WalkedPages> {
  const { meta } = pages;
  const walk = { pages, note, claims: openClaims(pages) };
  const tables = new Map<string, TreeRecord>();
  let free = 0;
  yield* walkTree(walk, {
    name: MAIN_TREE,
    record: meta.main,
    compare: byBytes,
    onLeaf({ key, root, value, length }) {
      if (root === undefined || length !== TREE_BYTES) throw new PageFault('a name has no table');
      tables.set(nameIn(key), treeRecordIn(value));
    },
  });
  for (const [name, record] of tables) {
    yield* walkTree(walk, {
      name,
      record,
      compare: byBytes,
      onLeaf({ root }) {
        if (root !== undefined) throw new PageFault('a row is marked as a table');
      },
    });
  }
  yield* walkTree(walk, {
    name: FREE_TREE,
    record: meta.free,
    compare: byNumber,
    onLeaf(leaf) {
      if (leaf.key.length !== 8) throw new PageFault('a list of free pages has no commit');
      for (const page of freePagesIn(pages.value(leaf), meta.lastPage)) {
        walk.claims.claim(page, 1, 'is free and in use');
        free += 1;
      }
    },
  });
  return { tables, used: walk.claims.count() - free, free };
}

interface Walk {
  readonly pages: StorePages;
  readonly note: NotePage;
  readonly claims: ReturnType<typeof openClaims>;
}

function* walkTree(walk: Walk, tree: Tree): Generator<void> {
  const { pages, note, claims } = walk;
  const { record } = tree;
  const seen = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
  const order = openOrder(tree.compare);
  let faults = 0;
  if (record.root !== NO_PAGE) {
    const transaction = pages.meta.transaction;
    yield* follow(record.root, { depth: 1, low: undefined, high: undefined, transaction });
  }
  // Pages below a damaged page were not counted.
  if (faults > 0) return;
  for (const name of Object.keys(seen) as (keyof typeof seen)[]) {
    if (seen[name] === record[name]) continue;
    const what = `has ${seen[name]} ${COUNTED[name]}, and should have ${record[name]}`;
    note(tree.name, { what, where: `page ${record.root}` });
  }

  function* follow(number: number, span: Span): Generator<void> {
    yield;
    try {
      yield* followPage(number, span);
    } catch (error) {
      // The system refuses a number that no file has with an error of its own.
      if (!(error instanceof PageFault || error instanceof RangeError)) throw error;
      faults += 1;
      const what = error instanceof PageFault ? error.message : 'it is not what was written';
      note(tree.name, { what, where: `page ${number}` });
    }
  }

  function* followPage(number: number, span: Span): Generator<void> {
    claims.claim(number, 1, 'is reached twice');
    if (span.depth > Math.min(record.depth, DEPTH_MAX)) throw new PageFault('the tree is too deep');
    const page = pages.page(number);
    const nodes = [...nodesOf(page, number)];
    const isBranch = (page.readUInt16LE(18) & BRANCH) !== 0;
    checkPage(page, { nodes, isBranch, span, isLeafDepth: span.depth === record.depth });
    if (isBranch) {
      seen.branchPages += 1;
      const depth = span.depth + 1;
      const transaction = transactionOf(page);
      for (const { child, low, high } of childrenOf(page, nodes, span)) {
        order.check(low, high);
        yield* follow(child, { depth, low, high, transaction });
      }
      return;
    }
    seen.leafPages += 1;
    for (const node of nodes) {
      const leaf = leafAt(page, node, number);
      order.next(leaf.key, span);
      seen.entries += 1;
      if (leaf.isApart) seen.overflowPages += claimValue(walk, leaf);
      tree.onLeaf(leaf);
    }
  }
}

/** The first key of a branch says nothing. */
function* childrenOf(page: Buffer, nodes: readonly number[], { low, high }: Span) {
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    yield {
      child: childOf(page, node),
      low: index === 0 ? low : keyAt(page, node),
      high: next === undefined ? high : keyAt(page, next),
    };
  }
}

/**
 * Checks that keys ascend through all leaves of a tree, and that each leaf holds only keys for
 * which the branches lead to it.
 */
function openOrder(compare: Compare) {
  let last: Buffer | undefined;
  return {
    check(low: Buffer | undefined, high: Buffer | undefined) {
      if (low === undefined || high === undefined || compare(low, high) < 0) return;
      throw new PageFault('its keys do not ascend');
    },
    next(key: Buffer, { low, high }: Span) {
      const isPlaced =
        (last === undefined || compare(last, key) < 0) &&
        (low === undefined || compare(low, key) <= 0) &&
        (high === undefined || compare(key, high) < 0);
      if (key.length === 0 || !isPlaced) throw new PageFault('its keys do not ascend');
      last = key;
    },
  };
}

/** Claims the pages of a value that has its own; returns how many. */
function claimValue({ pages, claims }: Walk, { value, length }: Leaf): number {
  const { meta } = pages;
  const number = numberAt(value, 0);
  const count = numberAt(value, 16);
  if (count !== Math.ceil((HEAD_BYTES + length) / meta.pageBytes)) {
    throw new PageFault(`a value of ${length} bytes has ${count} pages`);
  }
  claims.claim(number, count, 'is reached twice');
  const first = pages.page(number);
  const isOverflow = first.readUInt16LE(18) === OVERFLOW_FLAG;
  if (!isOverflow || first.readUInt32LE(20) !== count) {
    throw new PageFault(`page ${number} is not what was written`);
  }
  if (transactionOf(first) > meta.transaction) throw new PageFault('it is newer than the store');
  if ((number + count) * meta.pageBytes > pages.fileBytes) {
    throw new PageFault(`page ${number} goes on behind the end of the file`);
  }
  return count;
}

const OVERFLOW_FLAG = 4;
const TREE_BYTES = 48;
const COUNTED: Readonly<Record<string, string>> = {
  branchPages: 'branch pages',
  leafPages: 'leaf pages',
  overflowPages: 'pages of long values',
  entries: 'rows',
};

const byBytes: Compare = (one, other) => Buffer.compare(one, other);
const byNumber: Compare = (one, other) => numberAt(one, 0) - numberAt(other, 0);

const transactionOf = (page: Buffer) => numberAt(page, 8);

function keyAt(page: Buffer, node: number): Buffer {
  const end = node + NODE_BYTES + page.readUInt16LE(node + 6);
  if (end > page.length) throw new PageFault('a key is longer than its page');
  return page.subarray(node + NODE_BYTES, end);
}

interface Checked {
  readonly nodes: readonly number[];
  readonly isBranch: boolean;
  readonly span: Span;
  readonly isLeafDepth: boolean;
}

/**
 * Checks a page. Its nodes fill its end without a gap, so their sizes add up to all that is not
 * free in it.
 */
function checkPage(page: Buffer, { nodes, isBranch, span, isLeafDepth }: Checked) {
  const flags = page.readUInt16LE(18);
  if (flags !== (isBranch ? BRANCH : LEAF)) throw new PageFault('it is of no known kind');
  if (isBranch === isLeafDepth) throw new PageFault('its tree has leaves at several depths');
  if (nodes.length < (isBranch ? 2 : 1)) throw new PageFault('it holds too little');
  if (transactionOf(page) > span.transaction)
    throw new PageFault('it is newer than what leads to it');
  const upper = page.readUInt16LE(22) + HEAD_BYTES;
  let bytes = 0;
  for (const node of nodes) {
    if (node < upper) throw new PageFault('what it holds lies in its free space');
    bytes += isBranch ? even(NODE_BYTES + keyAt(page, node).length) : leafBytes(page, node);
  }
  if (bytes !== page.length - upper)
    throw new PageFault('its parts do not add up to what it holds');
}

const even = (bytes: number) => bytes + (bytes % 2);

function leafBytes(page: Buffer, node: number): number {
  const flags = page.readUInt16LE(node + 4);
  if ((flags & ~(BIG | SUBTREE)) !== 0) throw new PageFault('a row is of no known kind');
  const length = page.readUInt16LE(node) + page.readUInt16LE(node + 2) * 2 ** 16;
  return even(NODE_BYTES + keyAt(page, node).length + ((flags & BIG) !== 0 ? 24 : length));
}

/**
 * Keeps a bit for each page of the file. Free pages behind its end were never written, and are only
 * counted.
 */
function openClaims({ meta, fileBytes }: StorePages) {
  const inFile = Math.min(meta.lastPage + 1, Math.ceil(fileBytes / meta.pageBytes));
  const bits = new Uint8Array(Math.ceil(inFile / 8));
  let claimed = 0;
  return {
    count: () => claimed,
    claim(first: number, count: number, what: string) {
      if (first < FIRST_PAGE || first + count - 1 > meta.lastPage) {
        throw new PageFault(`there is no page ${first}`);
      }
      claimed += count;
      for (let page = first; page < first + count; page++) {
        const bit = 1 << (page % 8);
        const byte = bits[page >> 3];
        if (byte === undefined) continue;
        if ((byte & bit) !== 0) throw new PageFault(`page ${page} ${what}`);
        bits[page >> 3] = byte | bit;
      }
    },
  };
}

/** The first two pages say where the others begin. */
const FIRST_PAGE = 2;

/** The name of a table, which may end in zeros. */
function nameIn(key: Buffer): string {
  let end = key.length;
  while (end > 0 && key[end - 1] === 0) end -= 1;
  return key.toString('utf8', 0, end);
}
