/**
 * Returns what changed between two renderings, as HTML: the new one with insertions marked, and
 * deletions before them. Equal tokens at both ends stay as they are, so it takes linear time for
 * any input.
 */
export function htmlDiff(before: string, after: string): string {
  const old = tokensOf(before);
  const now = tokensOf(after);
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const gone = old.slice(head, old.length - tail).filter((token) => !isTag(token));
  const came = now.slice(head, now.length - tail);
  return [
    ...now.slice(0, head),
    marked('deleted', gone.join('')),
    ...runsOf(came).map((run) => (isTag(run) ? run : marked('inserted', run))),
    ...now.slice(now.length - tail),
  ].join('');
}

/** Splits HTML into tags, words, and the space between them. */
const tokensOf = (html: string): readonly string[] => html.match(/<[^<>]*>|[^<\s]+|\s+/g) ?? [];

const isTag = (token: string) => token.startsWith('<');

/** Joins the text between two tags. */
function runsOf(tokens: readonly string[]): string[] {
  const runs: string[] = [];
  let text = '';
  for (const token of tokens) {
    if (!isTag(token)) text += token;
    else {
      runs.push(text, token);
      text = '';
    }
  }
  return [...runs, text].filter((run) => run !== '');
}

/** These are the classes that clients have styles for. */
const marked = (what: 'inserted' | 'deleted', text: string) =>
  text === '' ? '' : `<span class="highlight_text_${what}">${text}</span>`;
