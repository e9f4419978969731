import { createRequire } from 'node:module';
import type { KatexOptions } from 'katex';
import { FORMULA_WORK } from '../../domain/limits.ts';

/**
 * Commands that define commands: with them a few characters can stand for any number of others. And
 * those that write what was typed to the console.
 */
const FORBIDDEN =
  /\\(?:[gex]?def|(?:future)?let|global|long|(?:new|renew|provide)command|(?:err)?message|show)(?![a-z])/i;

const OPTIONS: KatexOptions = {
  output: 'htmlAndMathml',
  throwOnError: true,
  // No links, images or attributes of the author's own.
  trust: false,
  strict: 'ignore',
  // In em; a formula must not cover what others wrote.
  maxSize: 10,
  maxExpand: 1_000,
};

/** A formula as HTML, or why there is none. */
export type Typeset =
  | { readonly kind: 'formula'; readonly html: string; readonly work: number }
  | { readonly kind: 'no TeX'; readonly work: number }
  | { readonly kind: 'too much'; readonly work: number };

/**
 * Sets a formula, unless that is more work than there is left; the same formula is always as much. It is read first, which
 * is cheap, and only what it turns out to hold tells how long drawing it takes.
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
      // What is nested too deep for its parser runs out of stack.
      if (!(error instanceof library().ParseError || error instanceof RangeError)) throw error;
      return { kind: 'no TeX', work: reading.work };
    }
  });
}

class TooMuch extends Error {}

/**
 * Counts what the library reads: a command may stand for hundreds of others, and it looks each of them up in the macros of
 * the author, of whom there are none.
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

/** Letters and signs, and what only stands around others; anything else is drawn of several pieces, which are measured. */
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

/** How much work it is to draw what was read. */
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

/** The library warns of characters that it has no measures for: whoever types them would write to the server's log. */
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
  /** What a formula holds, as `renderToString` reads it; its types leave it out. */
  __parse(tex: string, options: KatexOptions): unknown;
};

const require = createRequire(import.meta.url);
let loaded: Library | undefined;

/** Loaded with the first formula. */
function library(): Library {
  loaded ??= require('katex') as Library;
  return loaded;
}
