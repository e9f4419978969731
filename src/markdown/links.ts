import type { MarkdownIt, StateInline } from 'markdown-it';
import { type Link, renderingOf } from './rendering.ts';
import { pushVerbatim, withoutOwnRealm } from './urls.ts';

/** Reads `[label](target)`; an invalid link stays text. */
export function link(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '[' || state.linkLevel > 0) return false;
  const found = linksIn(state).get(state.pos);
  if (!found || found.end > state.posMax) return false;
  if (!silent) pushLink(state, found);
  state.pos = found.end;
  return true;
}

function pushLink(state: StateInline, { labelEnd, href, title }: Link): void {
  const { pos, posMax } = state;
  const opening = state.push('link_open', 'a', 1);
  opening.attrs = [['href', withoutOwnRealm(href, renderingOf(state.env).directory)]];
  if (title) opening.attrPush(['title', title]);
  if (state.src.slice(pos + 1, labelEnd).trim() === '') {
    pushVerbatim(state, href); // an empty label could not be seen or clicked
  } else {
    state.pos = pos + 1;
    state.posMax = labelEnd;
    state.linkLevel += 1;
    state.md.inline.tokenize(state);
    state.linkLevel -= 1;
    state.posMax = posMax;
  }
  state.push('link_close', 'a', -1);
}

function linksIn(state: StateInline): ReadonlyMap<number, Link> {
  const rendering = renderingOf(state.env);
  if (rendering.links.source !== state.src) {
    rendering.links = { source: state.src, byStart: findLinks(state.md, state.src) };
  }
  return rendering.links.byStart;
}

/**
 * Finds all links of a text in one pass, by their start. The rule of the library looks for the end
 * of the label from each `[` on its own, which takes quadratic time. Innermost brackets close
 * first, and a link contains no link.
 */
function findLinks(md: MarkdownIt, text: string): Map<number, Link> {
  const links = new Map<number, Link>();
  const openers: number[] = [];
  const lastRuns = lastRunsOfBackticks(text);
  const piece = /\\[^\n]|`+|\[|\](\()?/g;
  for (let match = piece.exec(text); match; match = piece.exec(text)) {
    const [found, parenthesis] = match;
    if (found === '[') {
      openers.push(match.index);
    } else if (found.startsWith('`')) {
      piece.lastIndex = endOfCode(text, { lastRuns, run: found, after: piece.lastIndex });
    } else if (found.startsWith(']')) {
      const start = openers.pop();
      if (start === undefined || !parenthesis) continue;
      const target = linkTarget(md, text, piece.lastIndex);
      if (!target) continue;
      links.set(start, { ...target, labelEnd: match.index });
      openers.length = 0;
      piece.lastIndex = target.end;
    }
  }
  return links;
}

/**
 * Returns, for each length of a run of backticks, where the last such run starts, so that no search
 * fails.
 */
function lastRunsOfBackticks(text: string): ReadonlyMap<number, number> {
  const lastRuns = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) lastRuns.set(run.length, index);
  return lastRuns;
}

function endOfCode(
  text: string,
  code: { lastRuns: ReadonlyMap<number, number>; run: string; after: number },
): number {
  if ((code.lastRuns.get(code.run.length) ?? -1) < code.after) return code.after;
  const runs = /`+/g;
  runs.lastIndex = code.after;
  for (let match = runs.exec(text); match; match = runs.exec(text)) {
    if (match[0].length === code.run.length) return runs.lastIndex;
  }
  return code.after;
}

/**
 * Parses the parentheses of a link from behind the opening one; null if the link is not allowed.
 */
function linkTarget(md: MarkdownIt, text: string, from: number): Omit<Link, 'labelEnd'> | null {
  const destination = md.helpers.parseLinkDestination(text, skipBlanks(text, from), text.length);
  if (!destination.ok) return null;
  const href = md.normalizeLink(destination.str);
  if (!md.validateLink(href)) return null;

  const afterBlanks = skipBlanks(text, destination.pos);
  const title = md.helpers.parseLinkTitle(text, afterBlanks, text.length);
  const hasTitle = title.ok && afterBlanks > destination.pos;
  const end = hasTitle ? skipBlanks(text, title.pos) : afterBlanks;
  if (text[end] !== ')') return null;
  return { href, title: hasTitle ? title.str : '', end: end + 1 };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n') at += 1;
  return at;
}
