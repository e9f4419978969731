/** As much of what is secret as is looked through; a message of an error quotes what comes first. */
const SECRETS_LENGTH_MAX = 65_536;
/** As few characters in common are chance. */
const QUOTED_LENGTH_MIN = 6;

/**
 * A text in which a dot stands for each character that is part of something secret: messages of errors quote what they were
 * thrown over, mostly a piece of it.
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
