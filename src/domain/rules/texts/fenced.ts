/** Wraps text in a fenced block (`quote`, `spoiler Title`); the fence is longer than any within. */
export function fenced(text: string, kind: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${kind}\n${text}\n${fence}`;
}
