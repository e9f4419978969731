import { createRequire } from 'node:module';
import type { KatexOptions } from 'katex';
import { FORMULA_WORK } from '../../domain/limits/markdown.ts';

/**
 * Commands that define commands, with which a few characters can stand for any number of others,
 * and commands that write what was typed to the console.
 */
const FORBIDDEN =
  /\\(?:[gex]?def|(?:future)?let|global|long|(?:new|renew|provide)command|(?:err)?message|show)(?![a-z])/i;

const OPTIONS: KatexOptions = {
  output: 'htmlAndMathml',
  throwOnError: true,
  // Authors may not use links, images or attributes.
  trust: false,
  strict: 'ignore',
  // The unit is em; a formula must not cover other messages.
  maxSize: 10,
  maxExpand: 1_000,
};

/** A formula as HTML, or the reason why there is none. */
export type Typeset =
  | { readonly kind: 'formula'; readonly html: string; readonly work: number }
  | { readonly kind: 'no TeX'; readonly work: number }
  | { readonly kind: 'too much'; readonly work: number };

/**
 * Typesets a formula, unless that takes more work than is left; the same formula always takes the
 * same work. It is parsed first, which is cheap; only the parsed parts tell how long drawing takes.
 */
export function typeset(tex: string, isDisplay: boolean, workLeft: number): Typeset {
  if (FORBIDDEN.test(tex)) return { kind: 'no TeX', work: 0 };
  const reading = new Reading(workLeft);
  reading.work += FORMULA_WORK.formula;
  return quietly((): Typeset => {
    const options = { ...OPTIONS, displayMode: isDisplay };
    try {
      const tree = library().__parse(tex, { ...options, macros: reading.macros() });
      const work = reading.work + drawingOf(tree);
      if (work > workLeft) return { kind: 'too much', work: reading.work };
      return { kind: 'formula', html: library().renderToString(tex, options), work };
    } catch (error) {
      if (error instanceof TooMuch) return { kind: 'too much', work: workLeft };
      // A formula that is nested too deep for the parser overflows the stack.
      if (!(error instanceof library().ParseError || error instanceof RangeError)) throw error;
      return { kind: 'no TeX', work: reading.work };
    }
  });
}

class TooMuch extends Error {}

/**
 * Counts the tokens that the library reads: a command may expand to hundreds of others, and the
 * library looks each of them up in the author's macros, which are empty.
 */
class Reading {
  work = 0;
  readonly #workMax: number;

  constructor(workMax: number) {
    this.#workMax = workMax;
  }

  macros(): Record<string, string> {
    return new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          this.work += FORMULA_WORK.token;
          if (this.work > this.#workMax) throw new TooMuch();
          return undefined;
        },
      },
    );
  }
}

/**
 * Letters, signs, and nodes that only wrap others; any other node is drawn of several pieces, which
 * are measured.
 */
const SIMPLE: ReadonlySet<string> = new Set([
  ...['mathord', 'textord', 'atom', 'spacing', 'kern', 'size', 'raw', 'url', 'color-token'],
]);
const GROUPS: ReadonlySet<string> = new Set([
  ...['ordgroup', 'styling', 'sizing', 'color', 'text', 'align', 'separator'],
]);

function costOf(type: string): number {
  if (SIMPLE.has(type)) return FORMULA_WORK.sign;
  return GROUPS.has(type) ? FORMULA_WORK.group : FORMULA_WORK.structure;
}

/** Returns the work of drawing a parsed node. */
function drawingOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  let work = 0;
  if ('type' in node && typeof node.type === 'string') {
    work += costOf(node.type);
  }
  for (const [name, inner] of Object.entries(node)) {
    if (name !== 'loc') work += drawingOf(inner);
  }
  return work;
}

/**
 * Silences the library's warnings about characters that it has no measures for: everybody who types
 * them would write to the server's log.
 */
function quietly<T>(work: () => T): T {
  const { warn } = console;
  console.warn = () => {};
  try {
    return work();
  } finally {
    console.warn = warn;
  }
}

type Library = typeof import('katex') & {
  /** Parses a formula as `renderToString` does; the library's types leave it out. */
  __parse(tex: string, options: KatexOptions): unknown;
};

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

/** Loads the library with the first formula. */
function library(): Library {
  loaded ??= require('katex') as Library;
  return loaded;
}
