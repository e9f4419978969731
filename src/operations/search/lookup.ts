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

/** Terms of one segment that one test is looked up by; where there are more, it says too little to be worth it. */
const TERMS_MAX = 1_000;
/** To look at so few messages costs less than to look through all terms, or to read one more long list. */
const FEW_FOR_A_WALK = 128;
const FEW_FOR_A_LIST = 8;

interface Segment {
  readonly segmentId: number;
  readonly firstTerms: readonly string[];
}

/** A test with what the terms that pass it have. */
interface Found {
  readonly lists: readonly blocks.BlockList[];
  readonly runsAfter: number | null;
}

/**
 * The messages of a segment that pass the tests of each group, ascending; null when the tests say so little that all of
 * them may. Some may be among them that do not.
 */
export function idsOf(
  tx: Reads,
  segment: Segment,
  groups: readonly TestGroup[],
): readonly number[] | null {
  // Places are those of a phrase; of a single word none is looked at.
  const parts = groups.map((group) =>
    group.map(({ test, at }) => ({ test, runsAfter: group.length === 1 ? null : at })),
  );
  const looked = parts.map((tests) => quickly(tx, segment, tests));
  // A term that is nowhere is seen before any list is read.
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

/** What is found without looking through all terms, the shortest lists first. */
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

/** About the bytes of all lists, without reading those that are kept apart. */
const lengthOf = ({ lists }: Found) =>
  lists.reduce(
    (sum, entry) =>
      sum + (blocks.isApart(entry) ? LENGTH_APART : entry.list.end - entry.list.start),
    0,
  );

const LENGTH_APART = 10_000;

interface Group {
  /** What other groups have left; null when they say nothing. */
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

/** The lists of the terms that pass a test; null when there are too many. */
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
 * The numbers of the terms that pass a test, in a text of terms with a line break between them. Most terms are passed over
 * without being taken out of the text.
 */
function numbersPassing(text: string, { prefix, isExact, infix, passes }: TermTest): number[] {
  const wanted = infix === '' ? prefix : infix;
  if (wanted === '') return [...text.split('\n').keys()];
  const numbers: number[] = [];
  // The last term may end as well.
  const all = wanted.endsWith('\n') ? `${text}\n` : text;
  let number = 0;
  let start = 0;
  let at = 0;
  for (let hit = all.indexOf(wanted); hit >= 0; hit = all.indexOf(wanted, at + 1)) {
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
