/** Characters of the secrets that are compared; a message of an error quotes the beginning. */
const SECRETS_LENGTH_MAX = 65_536;
/** Shorter sequences in common are chance. */
const QUOTED_LENGTH_MIN = 6;

/**
 * Replaces each character that is part of a secret by a dot: messages of errors quote the value
 * that caused them, mostly a piece of it.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const looked = secrets.filter(Boolean).join('\n').slice(0, SECRETS_LENGTH_MAX);
  const isHidden = new Array<boolean>(text.length).fill(false);
  for (let start = 0; start + QUOTED_LENGTH_MIN <= text.length; start++) {
    if (!looked.includes(text.slice(start, start + QUOTED_LENGTH_MIN))) continue;
    isHidden.fill(true, start, start + QUOTED_LENGTH_MIN);
  }
  return isHidden.map((hidden, at) => (hidden ? '·' : text[at])).join('');
}
