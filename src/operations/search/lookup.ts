import {
  ANYWHERE,
  keptBy,
  merged,
  type PassingLists,
  type Postings,
  startedBy,
} from '../../domain/rules/search/posting-lists.ts';
import type { TermTest, TestGroup } from '../../domain/rules/search/search-terms.ts';
import type { Reads } from '../access/groups.ts';
import * as blocks from './blocks.ts';

/**
 * Terms of one segment that may pass one test; if there are more, the test is not selective enough
 * to be used.
 */
const TERMS_MAX = 1_000;
/**
 * If so few messages are left, reading them costs less than to look through all terms, or to read
 * one more long list.
 */
const FEW_FOR_A_WALK = 128;
const FEW_FOR_A_LIST = 8;

interface Segment {
  readonly segmentId: number;
  readonly firstTerms: readonly string[];
}

/** The lists of the terms that pass a test. */
interface Found {
  readonly lists: readonly blocks.BlockList[];
  readonly runsAfter: number | null;
}

/**
 * Returns the messages of a segment that pass the tests of each group, ascending, with a few that
 * do not; null if the tests are not selective, so that all may pass.
 */
export function idsOf(
  tx: Reads,
  segment: Segment,
  groups: readonly TestGroup[],
): readonly number[] | null {
  // Runs are compared within a phrase; a single word has none to compare.
  const parts = groups.map((group) =>
    group.map(({ test, at }) => ({ test, runsAfter: group.length === 1 ? null : at })),
  );
  const looked = parts.map((tests) => quickly(tx, segment, tests));
  // A term without messages is noticed before any list is read.
  if (looked.some((found) => found.some(({ lists }) => lists.length === 0))) return [];
  let left: Postings | null = null;
  const order = [...looked.keys()].sort((one, other) => cost(looked[one]) - cost(looked[other]));
  for (const index of order) {
    const group = { found: looked[index] ?? [], tests: parts[index] ?? [] };
    left = withAll(tx, segment, { left: left && anywhere(left), ...group });
    if (left?.ids.length === 0) return [];
  }
  return left && merged(left).ids;
}

const anywhere = ({ ids }: Postings): Postings => ({ ids, runMasks: ids.map(() => ANYWHERE) });

interface Part {
  readonly test: TermTest;
  readonly runsAfter: number | null;
}

/** Finds lists without looking through all terms, the shortest ones first. */
function quickly(tx: Reads, segment: Segment, parts: readonly Part[]): Found[] {
  const found: Found[] = [];
  for (const { test, runsAfter } of parts) {
    const lists = test.prefix === '' ? null : passing(tx, segment, test);
    if (lists !== null) found.push({ lists, runsAfter });
  }
  return found.sort((one, other) => lengthOf(one) - lengthOf(other));
}

const cost = (found: readonly Found[] = []) => {
  const [first] = found;
  return first === undefined ? Number.MAX_VALUE : lengthOf(first);
};

/** Estimates the bytes of all lists, without reading those with rows of their own. */
const lengthOf = ({ lists }: Found) =>
  lists.reduce(
    (sum, entry) =>
      sum + (blocks.hasOwnRow(entry) ? LENGTH_OF_OWN_ROW : entry.list.end - entry.list.start),
    0,
  );

const LENGTH_OF_OWN_ROW = 10_000;

interface Group {
  /** The messages that other groups have left; null if those were not selective. */
  readonly left: Postings | null;
  readonly found: readonly Found[];
  readonly tests: readonly Part[];
}

function withAll(tx: Reads, segment: Segment, { left: given, found, tests }: Group) {
  let left = given;
  const isAtMost = (count: number) => left !== null && left.ids.length <= count;
  for (const { lists, runsAfter } of found) {
    if (isAtMost(FEW_FOR_A_LIST)) break;
    left = sieved(left, { lists: lists.map((entry) => blocks.opened(tx, entry)), runsAfter });
  }
  for (const { test, runsAfter } of tests) {
    if (test.prefix !== '' || isAtMost(FEW_FOR_A_WALK)) continue;
    const lists = passing(tx, segment, test);
    if (lists === null) continue;
    left = sieved(left, { lists: lists.map((entry) => blocks.opened(tx, entry)), runsAfter });
  }
  return left;
}

const sieved = (left: Postings | null, lists: PassingLists) =>
  left === null ? startedBy(lists) : keptBy(left, lists);

/** Returns the lists of the terms that pass a test; null if there are too many. */
function passing(
  tx: Reads,
  { segmentId, firstTerms }: Segment,
  test: TermTest,
): blocks.BlockList[] | null {
  const { prefix, isExact } = test;
  const lists: blocks.BlockList[] = [];
  for (let number = blocks.blockOf(firstTerms, prefix); number < firstTerms.length; number++) {
    const first = firstTerms[number] ?? '';
    if (first > prefix && (isExact || !first.startsWith(prefix))) break;
    const ref = { segmentId, number };
    const terms = numbersPassing(blocks.termsIn(tx, ref), test);
    if (terms.length === 0) continue;
    if (lists.length + terms.length > TERMS_MAX) return null;
    lists.push(...blocks.listsIn(tx, ref, terms));
  }
  return lists;
}

/**
 * Returns the numbers of the terms that pass a test, in a text of terms with a line break between
 * them. Most terms are passed over without being cut out of the text.
 */
function numbersPassing(text: string, { prefix, isExact, infix, passes }: TermTest): number[] {
  const needle = infix === '' ? prefix : infix;
  if (needle === '') return [...text.split('\n').keys()];
  const numbers: number[] = [];
  // The search needs a line break after the last term, too.
  const all = needle.endsWith('\n') ? `${text}\n` : text;
  let number = 0;
  let start = 0;
  let at = 0;
  for (let hit = all.indexOf(needle); hit >= 0; hit = all.indexOf(needle, at + 1)) {
    for (; at < hit; at++) {
      if (text.charCodeAt(at) !== LINE_BREAK) continue;
      number += 1;
      start = at + 1;
    }
    const end = text.indexOf('\n', start);
    const term = end < 0 ? text.slice(start) : text.slice(start, end);
    if (isExact ? term === prefix : term.startsWith(prefix) && passes(term)) numbers.push(number);
    if (end < 0 || (isExact && term >= prefix)) break;
    at = end;
  }
  return numbers;
}

const LINE_BREAK = 10;
