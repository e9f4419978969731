import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** `head`, then `pump` as often as it takes, then `tail`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

/** Repetitions that may be any number, from here on: shorter ones cost their bound and no more. */
const REPEATED_MIN = 1_000;
/** The most attacks on one expression; the likely ones come first. */
const ATTACKS_MAX = 300;

/**
 * Texts that slow down a backtracking engine, if any do: for each repetition of the expression the
 * repeated text, over and over, behind what has to stand before it, and before a text with which it
 * cannot go on.
 */
export function attacksOn({ pattern, flags }: { pattern: string; flags: string }): Attack[] {
  const unicode = flags.includes('u');
  const parsed = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode });
  const alphabet = alphabetOf(parsed, flags);
  const words = wordsBy(alphabet, flags);
  const found = new Map<string, Attack>();
  const add = (head: string, pump: string, tail: string) => {
    if (pump !== '') found.set(JSON.stringify([head, pump, tail]), { head, pump, tail });
  };
  const repetitions = sitesIn(parsed.alternatives, [''], words).flatMap(({ heads, element }) => {
    const chars = alphabet.filter((char) => words.matches(element, char));
    const pumps = [...new Set([words.of(element), ...chars])];
    return heads.flatMap((head) => pumps.map((pump) => ({ head, pump })));
  });
  for (const { head, pump } of repetitions) {
    for (const text of [head, head + pump, pump + head]) add('', text, '\0');
    add(head, pump, '\0');
  }
  for (const text of [...alphabet, ...parsed.alternatives.map(words.of)]) add('', text, '\0');
  for (const { head, pump } of repetitions) {
    for (const tail of ['', '\n', ...alphabet]) add(head, pump, tail);
  }
  for (const { head, pump } of repetitions) {
    for (const other of alphabet) add(head, pump + other, '\0');
  }
  return [...found.values()].slice(0, ATTACKS_MAX);
}

/** A repetition, and what can stand before it. */
interface Site {
  readonly heads: readonly string[];
  readonly element: AST.QuantifiableElement;
}

function sitesIn(
  alternatives: readonly AST.Alternative[],
  heads: readonly string[],
  words: Words,
): Site[] {
  return alternatives.flatMap(({ elements }) => {
    const sites: Site[] = [];
    let before = heads;
    for (const element of elements) {
      sites.push(...sitesOf(element, before, words));
      before = distinct(before.flatMap((head) => words.all(element).map((word) => head + word)));
    }
    return sites;
  });
}

const HEADS_MAX = 4;
const distinct = (heads: readonly string[]) => [...new Set(heads)].slice(0, HEADS_MAX);

function sitesOf(element: AST.Element, heads: readonly string[], words: Words): Site[] {
  if (element.type === 'Quantifier') {
    const inner = sitesOf(element.element, heads, words);
    return element.max < REPEATED_MIN ? inner : [{ heads, element: element.element }, ...inner];
  }
  return 'alternatives' in element ? sitesIn(element.alternatives, heads, words) : [];
}

interface Words {
  /** A short text that the node matches. */
  of(node: AST.Node): string;
  /** The same, and one more where there may be none at all. */
  all(node: AST.Node): string[];
  matches(node: AST.Node, text: string): boolean;
}

function wordsBy(alphabet: readonly string[], flags: string): Words {
  const matches = (node: AST.Node, text: string) => wholly(node.raw, flags).test(text);
  const of = (node: AST.Node): string => {
    switch (node.type) {
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
        return alphabet.find((char) => matches(node, char)) ?? '';
      case 'Quantifier':
        return of(node.element).repeat(Math.min(node.min, 100));
      case 'Alternative':
        return node.elements.map(of).join('');
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives[0] === undefined ? '' : of(node.alternatives[0]);
      case 'Backreference':
        return Array.isArray(node.resolved) ? '' : of(node.resolved as AST.CapturingGroup);
      default:
        return '';
    }
  };
  const all = (node: AST.Node): string[] => {
    if (node.type === 'Quantifier') return [of(node), of(node) + of(node.element)];
    if (node.type === 'Group' || node.type === 'CapturingGroup') return node.alternatives.map(of);
    return [of(node)];
  };
  return { of, all, matches };
}

const wholly = (source: string, flags: string) =>
  new RegExp(`^(?:${source})$`, flags.replace(/[gym]/g, ''));

const USUAL = [...' \n\t\raA0_-.!/:é"<>*`@\0'];

/** One character of each kind that the expression can tell apart. */
function alphabetOf(parsed: AST.Pattern, flags: string): string[] {
  const sets: AST.Node[] = [];
  const written = new Set<string>();
  eachLeaf(parsed, (leaf) => {
    sets.push(leaf);
    if (leaf.type === 'Character') written.add(String.fromCodePoint(leaf.value));
    if (leaf.type !== 'CharacterClass') return;
    for (const element of leaf.elements) {
      if (element.type === 'Character') written.add(String.fromCodePoint(element.value));
      if (element.type !== 'CharacterClassRange') continue;
      written.add(String.fromCodePoint(element.min.value));
      written.add(String.fromCodePoint(element.max.value));
    }
  });
  const tests = sets.map((set) => wholly(set.raw, flags));
  const kinds = new Map<string, string>();
  for (const char of [...written, ...USUAL]) {
    const kind = tests.map((test) => (test.test(char) ? '1' : '0')).join('');
    if (!kinds.has(kind)) kinds.set(kind, char);
  }
  return [...kinds.values()];
}

function eachLeaf(node: AST.Node, visit: (leaf: AST.Node) => void) {
  if (node.type === 'Quantifier') eachLeaf(node.element, visit);
  else if ('alternatives' in node) {
    for (const one of node.alternatives) for (const inner of one.elements) eachLeaf(inner, visit);
  } else visit(node);
}
