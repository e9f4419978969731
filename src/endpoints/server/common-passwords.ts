/** A word of the list with a few digits or signs behind it is what those try next who try the list. */
const TAIL = /[^\p{L}]{1,4}$/u;

let common: Promise<ReadonlySet<string>> | undefined;

/** Whether it is one of those that many people have, which whoever guesses tries first: 49,000 that were leaked, most used first. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load();
  const known = await common;
  const word = password.toLowerCase();
  return known.has(word) || known.has(word.replace(TAIL, ''));
}

/** Read when somebody first sets a password: a start need not wait for 5 MB that most servers need once a day. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}
