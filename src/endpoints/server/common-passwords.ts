/** Attackers who try the list also try its words with a few digits or signs behind them. */
const TAIL = /[^\p{L}]{1,4}$/u;

let common: Promise<ReadonlySet<string>> | undefined;

/**
 * Tests for one of the passwords that attackers try first: 49,000 that were leaked, most used
 * first.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  const known = await common;
  const word = password.toLowerCase();
  return known.has(word) || known.has(word.replace(TAIL, ''));
}

/**
 * Loads the list when a user first sets a password: a start need not wait for 5 MB that most
 * servers need once a day.
 */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}
