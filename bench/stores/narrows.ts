/** A kind of narrow, and who asks with it. */
export interface Kind {
  readonly kind: string;
  /** The user who asks; by default the one that the store has for it. */
  readonly as?: number;
  /** The n-th of this kind. */
  readonly narrow: (n: number) => readonly Term[];
}

interface Term {
  readonly operator: string;
  readonly operand: unknown;
  readonly negated: boolean;
}

/** An operator, with `-` before it if the term is negated, and its operand or what picks one. */
export type Declared = readonly [
  operator: string,
  operand: string | number | undefined | ((n: number) => unknown),
];

export const kind = (name: string, ...terms: readonly Declared[]): Kind => ({
  kind: name,
  narrow: (n) => terms.map((term) => termOf(term, n)),
});

function termOf([operator, operand]: Declared, n: number): Term {
  const negated = operator.startsWith('-');
  return {
    operator: negated ? operator.slice(1) : operator,
    operand: typeof operand === 'function' ? operand(n) : operand,
    negated,
  };
}

/** The same, asked for by somebody else. */
export const askedBy = (userId: number, one: Kind): Kind => ({ ...one, as: userId });
