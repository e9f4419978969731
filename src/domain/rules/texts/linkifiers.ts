/**
 * Linkifiers (specification, "Linkifier"; reference/endpoints.md 1.18 and 5.6) turn the matches of
 * a pattern into links. Administrators write the patterns, and they run over all messages on the
 * only thread, so they run on an engine that takes linear time and in a bounded amount of it.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import {
  LINKIFIER_PATTERN_LENGTH_MAX,
  LINKIFIER_PROGRAM_SIZE_MAX,
  LINKIFIER_SETS_CACHED_MAX,
  LINKIFIER_TEMPLATE_LENGTH_MAX,
  LINKIFIER_WORK_MAX,
} from '../../limits/markdown.ts';
import { recentlyUsed } from '../../recently-used.ts';
import { urlTemplate as parsedUrlTemplate, type UrlTemplate } from './url-templates.ts';

export interface Linkifier {
  /** a Python regular expression */
  readonly pattern: string;
  /** RFC 6570; its variables are the named groups of the pattern */
  readonly urlTemplate: string;
}

/** The compiled linkifiers of a realm, in their order. */
export interface Linkifiers {
  readonly isEmpty: boolean;
  /** Tests quickly whether there may be a match, for the many texts without any. */
  mayMatch(text: string): boolean;
  /** Returns the links in order of appearance, without overlaps. */
  matchesIn(text: string, work: LinkifierWork): LinkifierMatch[];
}

export interface LinkifierMatch {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** The budget of linkifiers that a message has left; when it is spent, the rest stays text. */
export interface LinkifierWork {
  linkifierWorkLeft: number;
}

/** The problems of a linkifier, by field; `__all__` concerns both. */
export interface LinkifierProblems {
  readonly pattern?: readonly string[];
  readonly url_template?: readonly string[];
  readonly __all__?: readonly string[];
}

export const newLinkifierWork = (): LinkifierWork => ({ linkifierWorkLeft: LINKIFIER_WORK_MAX });

export const NO_LINKIFIERS: Linkifiers = {
  isEmpty: true,
  mayMatch: () => false,
  matchesIn: () => [],
};

/** Compiled once for each list. */
const compiledLists = recentlyUsed<string, Linkifiers>(LINKIFIER_SETS_CACHED_MAX);

export function compiled(linkifiers: readonly Linkifier[]): Linkifiers {
  if (linkifiers.length === 0) return NO_LINKIFIERS;
  const key = linkifiers.map(({ pattern, urlTemplate }) => `${pattern}\0${urlTemplate}`).join('\0');
  const known = compiledLists.get(key) ?? compile(linkifiers);
  compiledLists.set(key, known);
  return known;
}

/** Returns null for a valid linkifier. The caller checks that its pattern is new to the realm. */
export function problemsOf(linkifier: Linkifier): LinkifierProblems | null {
  const pattern = parsedPattern(linkifier.pattern);
  const template = parsedTemplate(linkifier.urlTemplate);
  if (typeof pattern === 'string' || typeof template === 'string') {
    return {
      ...(typeof pattern === 'string' ? { pattern: [pattern] } : {}),
      ...(typeof template === 'string' ? { url_template: [template] } : {}),
    };
  }
  const differences = differencesOf(pattern.groups, template.names);
  if (differences.length > 0) return { __all__: differences };
  return isSafeUrl(template.expand(() => '0')) ? null : { url_template: [UNSAFE_URL] };
}

/**
 * Returns the links of a topic, in order of appearance: matches of linkifiers, and its plain URLs
 * (reference/endpoints.md 5.6).
 */
export function topicLinks(topic: string, linkifiers: Linkifiers): TopicLink[] {
  const matches = linkifiers.matchesIn(topic, newLinkifierWork());
  const urls = Array.from(topic.matchAll(URL_IN_TOPIC), ({ 0: url, index }) => ({
    start: index,
    end: index + url.length,
    url,
  })).filter(({ start, end }) => matches.every((it) => end <= it.start || it.end <= start));
  return [...matches, ...urls]
    .sort((one, other) => one.start - other.start)
    .map(({ start, end, url }) => ({ text: topic.slice(start, end), url }));
}

/** Punctuation at the end belongs to the sentence, not to the URL. */
const URL_IN_TOPIC = /(?<![\p{L}\p{N}_])https?:\/\/[^\s/?#<>"'\\][^\s<>"]*(?<![.,:;!?'()[\]])/giu;

const BLANK = 'This field cannot be blank.';
const UNSAFE_URL = 'The URL must begin with http, https, mailto, tel or sms, or be a path.';

const tooLong = (lengthMax: number) => `This field is too long (limit: ${lengthMax} characters).`;

/** Returns what is wrong as a text, or the pattern with the names of its groups. */
function parsedPattern(pattern: string): string | { readonly groups: readonly string[] } {
  if (pattern === '') return BLANK;
  if (pattern.length > LINKIFIER_PATTERN_LENGTH_MAX) return tooLong(LINKIFIER_PATTERN_LENGTH_MAX);
  const { RE2JS, RE2JSException } = engine();
  try {
    const expression = RE2JS.compile(pattern);
    if (expression.programSize() > LINKIFIER_PROGRAM_SIZE_MAX) return 'The pattern is too complex.';
    return { groups: Object.keys(expression.namedGroups()) };
  } catch (error) {
    if (error instanceof RE2JSException) return `Bad regular expression: ${error.message}`;
    throw error;
  }
}

/** Returns what is wrong as a text, or the template. */
function parsedTemplate(template: string): string | UrlTemplate {
  if (template === '') return BLANK;
  if (template.length > LINKIFIER_TEMPLATE_LENGTH_MAX) {
    return tooLong(LINKIFIER_TEMPLATE_LENGTH_MAX);
  }
  return parsedUrlTemplate(template) ?? 'Invalid URL template.';
}

const require = createRequire(import.meta.url);
let loaded: typeof import('re2js') | undefined;

/** Loads the engine with the first linkifier: most realms have none. */
function engine(): typeof import('re2js') {
  loaded ??= require('re2js') as typeof import('re2js');
  return loaded;
}

function differencesOf(groups: readonly string[], variables: readonly string[]): string[] {
  const onlyInPattern = groups.filter((name) => !variables.includes(name)).map(quoted);
  const onlyInTemplate = variables.filter((name) => !groups.includes(name)).map(quoted);
  return [
    ...(onlyInPattern.length > 0
      ? [`Group ${onlyInPattern.join(', ')} in pattern is not present in URL template.`]
      : []),
    ...(onlyInTemplate.length > 0
      ? [`Group ${onlyInTemplate.join(', ')} in URL template is not present in pattern.`]
      : []),
  ];
}

const quoted = (name: string) => `'${name}'`;

/**
 * Matches a URL that a client may open: with a scheme that runs nothing, or a path of this server.
 */
const SAFE_URL = /^(?:https?:\/\/[^/?#\\]|mailto:|tel:|sms:|\/(?![/\\]))/i;
const isSafeUrl = (url: string | null): url is string => url !== null && SAFE_URL.test(url);

/** A compiled linkifier: the pattern between the characters that have to stand around it (1.18). */
interface Runnable {
  readonly expression: RE2JS;
  readonly groups: readonly string[];
  readonly template: UrlTemplate;
}

const BEFORE = `(?:^|[\\s\\pZ'"(,:<])`;
const AFTER = '(?:$|[^\\pL\\pN])';
/** The number of the group around the pattern; the groups of the pattern are accessed by name. */
const MATCH = 1;

/**
 * Returns an empty list for a pattern that another version of the engine took and this one does
 * not: it links nothing, and messages are sent all the same.
 */
function runnables(linkifier: Linkifier): Runnable[] {
  const pattern = parsedPattern(linkifier.pattern);
  const template = parsedTemplate(linkifier.urlTemplate);
  if (typeof pattern === 'string' || typeof template === 'string') return [];
  const expression = engine().RE2JS.compile(`${BEFORE}(${linkifier.pattern})${AFTER}`);
  return [{ expression, groups: pattern.groups, template }];
}

function compile(linkifiers: readonly Linkifier[]): Linkifiers {
  const all = linkifiers.flatMap(runnables);
  const size = all.reduce((sum, { expression }) => sum + expression.programSize(), 0);
  return {
    isEmpty: all.length === 0,
    mayMatch(text) {
      if (text.length * size > LINKIFIER_WORK_MAX) return true;
      return all.some(({ expression }) => expression.test(text));
    },
    matchesIn(text, work) {
      const matching = all.filter((linkifier) => hasMatch(linkifier, text, work));
      if (matching.length === 0) return [];
      const taken = new Uint8Array(text.length);
      return matching
        .flatMap((linkifier) => freeMatches(linkifier, { text, taken, work }))
        .sort((one, other) => one.start - other.start);
    },
  };
}

/**
 * Tests before matching: the engine answers a hundred times faster whether there is a match than
 * where.
 */
const hasMatch = ({ expression }: Runnable, text: string, work: LinkifierWork): boolean =>
  isAffordable(work, text.length * expression.programSize()) && expression.test(text);

/** The cost of a search for a match besides its steps. */
const SEARCH_COST = 10_000;

/** Takes the cost from the budget of the message. */
function isAffordable(work: LinkifierWork, cost: number): boolean {
  if (cost > work.linkifierWorkLeft) return false;
  work.linkifierWorkLeft -= cost;
  return true;
}

/**
 * Returns the matches of one linkifier in the text that earlier ones left, and marks that text as
 * taken.
 */
function freeMatches(
  { expression, groups, template }: Runnable,
  { text, taken, work }: { text: string; taken: Uint8Array; work: LinkifierWork },
): LinkifierMatch[] {
  const matches: LinkifierMatch[] = [];
  const matcher = expression.matcher(text);
  const size = expression.programSize();
  for (let from = 0; from < text.length; ) {
    if (!isAffordable(work, SEARCH_COST + (text.length - from) * size)) break;
    if (!matcher.find(from)) break;
    const [start, end] = [matcher.start(MATCH), matcher.end(MATCH)];
    from = Math.max(end, start + 1);
    if (taken.subarray(start, end).includes(1)) continue;
    const url = template.expand((name) => (groups.includes(name) ? matcher.group(name) : null));
    if (start === end || !isSafeUrl(url)) continue;
    taken.fill(1, start, end);
    matches.push({ start, end, url });
  }
  return matches;
}
