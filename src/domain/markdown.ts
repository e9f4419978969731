/**
 * Message Markdown to HTML (reference/endpoints.md section 5). Runs once a message on the only
 * thread, so plain lines do not enter the parser, and nothing here takes more than linear time,
 * whatever is typed.
 */
import markdownIt, {
  type Env,
  type MarkdownIt,
  type RendererRule,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it';
import { EMPTY_TOPIC_DISPLAY_NAME } from './topic.ts';

/** What a name in a message may stand for, as the sender sees it. */
export interface MarkdownDirectory {
  /** active and deactivated users having this full name, case-insensitively */
  usersNamed(fullName: string): readonly MentionableUser[];
  user(userId: number): MentionableUser | undefined;
  /** a channel the sender may see, case-insensitively by name */
  channelNamed(name: string): { readonly channelId: number; readonly name: string } | undefined;
}

export interface MentionableUser {
  readonly userId: number;
  readonly fullName: string;
  readonly isActive: boolean;
}

export interface RenderedContent {
  readonly html: string;
  /** non-silent personal mentions, unique, ascending */
  readonly mentionedUserIds: readonly number[];
  /** the wider one when both are there */
  readonly wildcard: 'channel' | 'topic' | null;
  readonly hasChannelWildcard: boolean;
  readonly hasTopicWildcard: boolean;
}

export function renderMarkdown(content: string, directory: MarkdownDirectory): RenderedContent {
  return isPlainLine(content) ? renderPlainLine(content) : renderWithParser(content, directory);
}

/** A `/me` message is rendered like any other; clients show it as an action. */
export const isMeMessage = (content: string): boolean => content.startsWith('/me ');

/**
 * The whole of Markdown; exported so that a test can hold the shortcut for plain lines against it.
 */
export function renderWithParser(content: string, directory: MarkdownDirectory): RenderedContent {
  const rendering: Rendering = {
    directory,
    mentionedUserIds: new Set(),
    hasChannelWildcard: false,
    hasTopicWildcard: false,
    tableCellsLeft: TABLE_CELLS_MAX,
    links: { source: '', byStart: new Map() },
  };
  const html = parser.render(content, { [RENDERING]: rendering });
  const { hasChannelWildcard, hasTopicWildcard } = rendering;
  return {
    html: html.endsWith('\n') ? html.slice(0, -1) : html,
    mentionedUserIds: [...rendering.mentionedUserIds].sort((a, b) => a - b),
    wildcard: hasChannelWildcard ? 'channel' : hasTopicWildcard ? 'topic' : null,
    hasChannelWildcard,
    hasTopicWildcard,
  };
}

/**
 * True when no character of the text can mean anything to the parser; a doubtful one says false.
 */
export function isPlainLine(text: string): boolean {
  return !MEANT_INLINE.test(text) && !MEANT_AT_START.test(text) && !/[ \t]$/.test(text);
}

/**
 * Without `*` there is no mention or channel link, without `[` no link, and `_` never means
 * anything.
 */
const MEANT_INLINE = /[*`[\\\n\r\0]|&[#a-z]|<[^\s<]|~~|:\/\/|mailto:/i;
/** Indents, quotes, headings, rules and lists. */
const MEANT_AT_START = /^(?:[ \t>_]|#[# \t]|[-+][-+ \t]|\d{1,9}[.)][ \t])/;

const NOBODY: readonly number[] = Object.freeze([]);

const renderPlainLine = (line: string): RenderedContent => ({
  html: line === '' ? '' : `<p>${escapeHtml(line)}</p>`,
  mentionedUserIds: NOBODY,
  wildcard: null,
  hasChannelWildcard: false,
  hasTopicWildcard: false,
});

/**
 * Levels of quotes (one each) and lists (two each); what is nested deeper is shown as text. Each
 * level reads its lines again, so this is also the factor that nesting can cost.
 */
const BLOCK_LEVELS_MAX = 20;
/**
 * Cells of all tables of a message. A written cell takes two characters, so this is what a message
 * can hold; but a short row is filled up to the width of its table, and some thousand rows of one
 * character would make a page of megabytes.
 */
const TABLE_CELLS_MAX = 5_000;

/** What one rendering knows and finds; the rules reach it through the parser's `env`. */
interface Rendering {
  readonly directory: MarkdownDirectory;
  readonly mentionedUserIds: Set<number>;
  hasChannelWildcard: boolean;
  hasTopicWildcard: boolean;
  tableCellsLeft: number;
  links: { readonly source: string; readonly byStart: ReadonlyMap<number, Link> };
}

interface Link {
  readonly labelEnd: number;
  readonly end: number;
  readonly href: string;
  readonly title: string;
}

const RENDERING = Symbol('rendering');

// `renderWithParser` is the only caller of the parser and always hands one over.
const renderingOf = (env: Env): Rendering => env[RENDERING] as Rendering;

const parser = createParser();
const { escapeHtml, unescapeAll } = parser.utils;

function createParser(): MarkdownIt {
  const md = markdownIt({ html: false, breaks: true });
  // Above BLOCK_LEVELS_MAX, so that it never drops a block; links do not nest, so that inline text
  // stays below it.
  md.set({ maxNesting: BLOCK_LEVELS_MAX + 4 });
  md.disable(['html_block', 'html_inline', 'lheading', 'reference', 'image', 'strip_references']);
  replaceBlockRules(md);
  replaceInlineRules(md);
  restrictUrls(md);
  Object.assign(md.renderer.rules, {
    finished_html: (tokens, index) => tokens[index]?.content ?? '',
    s_open: () => '<del>',
    s_close: () => '</del>',
    fence: renderCode,
    code_block: renderCode,
  } satisfies Record<string, RendererRule>);
  return md;
}

function replaceBlockRules(md: MarkdownIt): void {
  const rules = md.block.ruler;
  const paragraph = blockRuleOf('paragraph');
  const table = blockRuleOf('table');
  const list = blockRuleOf('list');
  const heading = blockRuleOf('heading');
  const endsParagraphs = { alt: ['paragraph'] };
  const endsMost = { alt: ['paragraph', 'blockquote'] };

  rules.at('table', (...args) => boundedTable(table, args), endsParagraphs);
  // An item or a heading without text would swallow what somebody typed: `2)`, `-`, `#`.
  rules.at('list', (...args) => startsWith(LIST_ITEM, args) && list(...args), endsMost);
  rules.at('heading', (...args) => startsWith(HEADING, args) && heading(...args), endsMost);
  rules.before('fence', 'quote_fence', quoteFence, { alt: ['paragraph', 'blockquote', 'list'] });
  rules.before('table', 'too_deep', (state, start, end, silent) => {
    return !silent && state.level >= BLOCK_LEVELS_MAX && paragraph(state, start, end, silent);
  });
}

function replaceInlineRules(md: MarkdownIt): void {
  const rules = md.inline.ruler;
  const emphasis = inlineRuleOf('emphasis');
  const autolink = inlineRuleOf('autolink');

  rules.at('link', link);
  rules.at('linkify', url);
  rules.at('autolink', (state, silent) => state.linkLevel === 0 && autolink(state, silent));
  rules.at('emphasis', (state, silent) => {
    return state.src[state.pos] === '*' && emphasis(state, silent);
  });
  rules.before('emphasis', 'mention', mention);
  rules.before('emphasis', 'channel_link', channelLink);
  md.inline.ruler2.after('emphasis', 'strong_outside', putStrongOutside);
}

type BlockRule = (
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
) => boolean;
type InlineRule = (state: StateInline, silent: boolean) => boolean;

function blockRuleOf(name: string): BlockRule {
  const only = markdownIt();
  only.block.ruler.enableOnly(name);
  return required(only.block.ruler.getRules('')[0]);
}

function inlineRuleOf(name: string): InlineRule {
  const only = markdownIt();
  only.inline.ruler.enableOnly(name);
  return required(only.inline.ruler.getRules('')[0]);
}

function required<T>(rule: T | undefined): T {
  if (rule === undefined) throw new Error('markdown-it has no rule of this name');
  return rule;
}

/** Text after the marker, which is where these expressions begin to look. */
const LIST_ITEM = /(?:[-+*]|\d{1,9}[.)])[ \t]+[^ \t\n]/y;
const HEADING = /#{1,6}[ \t]+[^ \t\n]/y;

function startsWith(pattern: RegExp, [state, line]: Parameters<BlockRule>): boolean {
  pattern.lastIndex = startOf(state, line);
  return pattern.test(state.src);
}

const startOf = (state: StateBlock, line: number): number =>
  (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
const endOf = (state: StateBlock, line: number): number => state.eMarks[line] ?? 0;

function boundedTable(table: BlockRule, [state, start, end, silent]: Parameters<BlockRule>) {
  if (start + 2 > end) return false;
  const rendering = renderingOf(state.env);
  const columns = columnsOf(state, start + 1);
  const rowsMax = Math.floor(rendering.tableCellsLeft / columns);
  const firstToken = state.tokens.length;
  if (rowsMax < 1 || !table(state, start, Math.min(end, start + 1 + rowsMax), silent)) return false;
  if (silent) return true;

  rendering.tableCellsLeft -= columns * (state.line - start);
  for (let index = firstToken; index < state.tokens.length; index += 1) {
    spellOutAlignment(state.tokens[index]);
  }
  return true;
}

/** The row of dashes says how wide a table is; any other line is refused by the rule itself. */
function columnsOf(state: StateBlock, line: number): number {
  const dashes = state.src.slice(startOf(state, line), endOf(state, line)).trimEnd();
  return dashes.replace(/^\||\|$/g, '').split('|').length;
}

function spellOutAlignment(token: Token | undefined): void {
  const style = token?.attrGet('style');
  if (typeof style === 'string') token?.attrSet('style', `${style.replace(':', ': ')};`);
}

const QUOTE_FENCE = /(`{3,}|~{3,})[ \t]*quote[ \t]*(?=\n|$)/y;

/** A fence named `quote` is a quote whose lines need no `>`. */
function quoteFence(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if ((state.sCount[start] ?? 0) - state.blkIndent >= 4) return false;
  QUOTE_FENCE.lastIndex = startOf(state, start);
  const marker = QUOTE_FENCE.exec(state.src)?.[1];
  if (marker === undefined) return false;
  if (silent) return true;

  const close = closingFence(state, { marker, start, end });
  const { lineMax, parentType } = state;
  state.lineMax = close;
  state.parentType = 'blockquote';
  state.push('blockquote_open', 'blockquote', 1);
  state.md.block.tokenize(state, start + 1, close);
  state.push('blockquote_close', 'blockquote', -1);
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.line = close < end && isClosingFence(state, close, marker) ? close + 1 : close;
  return true;
}

/** The line that closes the fence, or the one after its last: an unclosed fence runs to the end. */
function closingFence(
  state: StateBlock,
  fence: { marker: string; start: number; end: number },
): number {
  let line = fence.start + 1;
  for (; line < fence.end; line += 1) {
    if (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent) break;
    if (isClosingFence(state, line, fence.marker)) break;
  }
  return line;
}

function isClosingFence(state: StateBlock, line: number, marker: string): boolean {
  const start = startOf(state, line);
  if (!state.src.startsWith(marker, start)) return false;
  const afterMarker = state.skipChars(start, marker.charCodeAt(0));
  return state.skipSpaces(afterMarker) >= endOf(state, line);
}

/**
 * Attributes in the order that the clients of this format look for; there is no highlighting
 * inside.
 */
function renderCode(tokens: Token[], index: number): string {
  const token = tokens[index];
  const word = /\S+/.exec(unescapeAll(token?.info ?? ''))?.[0];
  const language = word && ` data-code-language="${escapeHtml(languageName(word))}"`;
  const code = escapeHtml(token?.content ?? '');
  const pre = `<pre><span></span><code>${code}</code></pre>`;
  return `<div class="codehilite"${language ?? ''}>${pre}</div>\n`;
}

/**
 * Words people write after a fence, with the name that clients show; others are shown as they are.
 */
const LANGUAGE_NAMES: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['sh', 'Bash'],
  ['c', 'C'],
  ['cpp', 'C++'],
  ['c++', 'C++'],
  ['csharp', 'C#'],
  ['c#', 'C#'],
  ['css', 'CSS'],
  ['diff', 'Diff'],
  ['go', 'Go'],
  ['html', 'HTML'],
  ['ini', 'INI'],
  ['java', 'Java'],
  ['js', 'JavaScript'],
  ['javascript', 'JavaScript'],
  ['json', 'JSON'],
  ['kotlin', 'Kotlin'],
  ['perl', 'Perl'],
  ['php', 'PHP'],
  ['py', 'Python'],
  ['python', 'Python'],
  ['rb', 'Ruby'],
  ['ruby', 'Ruby'],
  ['rs', 'Rust'],
  ['rust', 'Rust'],
  ['sql', 'SQL'],
  ['swift', 'Swift'],
  ['text', 'Text only'],
  ['toml', 'TOML'],
  ['ts', 'TypeScript'],
  ['typescript', 'TypeScript'],
  ['xml', 'XML'],
  ['yaml', 'YAML'],
]);

const languageName = (word: string): string => LANGUAGE_NAMES.get(word.toLowerCase()) ?? word;

/** `[label](target)`; what is no link stays text. */
function link(state: StateInline, silent: boolean): boolean {
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
  opening.attrs = [['href', href]];
  if (title) opening.attrPush(['title', title]);
  if (state.src.slice(pos + 1, labelEnd).trim() === '') {
    state.push('text', '', 0).content = href; // nobody could see or click an empty label
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
 * All links of a text in one pass, by where they start. Looking for the end of the label from each
 * `[` on its own, as the rule of the library does, takes quadratic time. Innermost brackets close
 * first, and a link holds no link.
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
 * For each length of a run of backticks, where the last such run starts: then a search never fails.
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

/** What stands in the parentheses of a link that is allowed, from behind the opening one. */
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

/** Anything else could run code, or read a file, in a client. */
const ALLOWED_URL = /^(?:https?:\/\/[^/?#\\]|mailto:|tel:|sms:)/i;
/** URLs that encoding leaves as they are, which is most of them. */
const PLAIN_URL =
  /^https?:\/\/[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}(?:\/[\w;/:@&=+$,.!~*()-]*)?$/;

function restrictUrls(md: MarkdownIt): void {
  const encode = md.normalizeLink.bind(md);
  md.normalizeLink = (url) => (PLAIN_URL.test(url) ? url : encode(url));
  md.validateLink = (url) => ALLOWED_URL.test(url);
  // A URL is shown as it was typed; decoding it could show another host than the link leads to.
  md.normalizeLinkText = (url) => url;
}

/** What stands before the colon, whole and not the end of another word. */
const URL_SCHEME = /(?<![\p{L}\p{N}_])(?:https?|mailto)$/iu;
const URL_SCHEME_LENGTH_MAX = 6;

/**
 * A URL in the text. The library's own rules search each text for one, which takes longer than all
 * else together.
 */
function url(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== ':' || state.linkLevel > 0) return false;
  const before = src.slice(Math.max(0, pos - URL_SCHEME_LENGTH_MAX - 2), pos);
  const scheme = URL_SCHEME.exec(before)?.[0];
  // A scheme that is not pending text any more belongs to something else.
  if (scheme === undefined || scheme.length > state.pending.length) return false;
  const length = state.md.linkify.testSchemaAt(src, `${scheme}:`, pos + 1);
  if (length === 0) return false;
  const start = pos - scheme.length;
  // Markers at its end close what was opened before the URL.
  const text = src.slice(start, pos + 1 + length).replace(/[*~]+$/, '');
  const href = state.md.normalizeLink(text);
  if (!state.md.validateLink(href)) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length);
    state.push('link_open', 'a', 1).attrs = [['href', href]];
    state.push('text', '', 0).content = text;
    state.push('link_close', 'a', -1);
  }
  state.pos = start + text.length;
  return true;
}

/** An opening in the middle of a word is none: `a@**b**`. */
const BEFORE_OPENING = /[\s'"({[/<]/;

const opensAt = ({ src, pos }: StateInline): boolean =>
  pos === 0 || BEFORE_OPENING.test(src[pos - 1] ?? '');

const MENTION = /@(_?)\*\*([^*\n]+)\*\*/y;

/** `@**name**`, `@**name|12**`, `@_**silent**` and the wildcards (reference/endpoints.md 5.2). */
function mention(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '@' || !opensAt(state)) return false;
  MENTION.lastIndex = state.pos;
  const match = MENTION.exec(state.src);
  if (!match || MENTION.lastIndex > state.posMax) return false;
  if (!silent) {
    const [source, underscore, name = ''] = match;
    const html = mentionHtml(renderingOf(state.env), name, underscore === '_');
    if (html === null) state.pending += source;
    else state.push('finished_html', '', 0).content = html;
  }
  state.pos = MENTION.lastIndex;
  return true;
}

const CHANNEL_WILDCARDS: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream']);

/** Null for a name that nobody has; a mention that notifies is noted in the rendering. */
function mentionHtml(rendering: Rendering, name: string, isSilent: boolean): string | null {
  if (CHANNEL_WILDCARDS.has(name)) {
    rendering.hasChannelWildcard ||= !isSilent;
    const kind = 'user-mention channel-wildcard-mention';
    return mentionSpan({ kind, userId: '*', text: name, isSilent });
  }
  if (name === 'topic') {
    rendering.hasTopicWildcard ||= !isSilent;
    return mentionSpan({ kind: 'topic-mention', text: name, isSilent });
  }
  const user = mentionedUser(rendering.directory, name);
  if (!user) return null;
  const notifies = !isSilent && user.isActive;
  if (notifies) rendering.mentionedUserIds.add(user.userId);
  return mentionSpan({
    kind: 'user-mention',
    userId: user.userId,
    text: user.fullName,
    isSilent: !notifies,
  });
}

function mentionSpan(mention: {
  kind: string;
  userId?: number | '*';
  text: string;
  isSilent: boolean;
}): string {
  const { kind, userId, text, isSilent } = mention;
  const id = userId === undefined ? '' : ` data-user-id="${userId}"`;
  const classes = isSilent ? `${kind} silent` : kind;
  return `<span class="${classes}"${id}>${isSilent ? '' : '@'}${escapeHtml(text)}</span>`;
}

function mentionedUser(directory: MarkdownDirectory, name: string): MentionableUser | undefined {
  const withId = /^(.*)\|(\d{1,15})$/.exec(name);
  if (withId) {
    const user = directory.user(Number(withId[2]));
    const fullName = (withId[1] ?? '').toLowerCase();
    return fullName === '' || fullName === user?.fullName.toLowerCase() ? user : undefined;
  }
  const namesakes = directory.usersNamed(name);
  if (namesakes.length < 2) return namesakes[0];
  // Somebody who left does not make the name of a colleague ambiguous.
  const active = namesakes.filter((user) => user.isActive);
  return active.length === 1 ? active[0] : undefined;
}

const CHANNEL_LINK = /#\*\*([^*>\n]+)(?:>([^*\n]*))?\*\*/y;

/**
 * `#**channel**`, `#**channel>topic**` and `#**channel>topic@214**` (reference/endpoints.md 5.3).
 */
function channelLink(state: StateInline, silent: boolean): boolean {
  // A link inside the label of a link is no HTML.
  if (state.src[state.pos] !== '#' || state.linkLevel > 0 || !opensAt(state)) return false;
  CHANNEL_LINK.lastIndex = state.pos;
  const match = CHANNEL_LINK.exec(state.src);
  if (!match || CHANNEL_LINK.lastIndex > state.posMax) return false;
  if (!silent) {
    const [source, name = '', topic] = match;
    const channel = renderingOf(state.env).directory.channelNamed(name);
    if (!channel) state.pending += source;
    else state.push('finished_html', '', 0).content = channelLinkHtml(channel, topic);
  }
  state.pos = CHANNEL_LINK.lastIndex;
  return true;
}

function channelLinkHtml(
  channel: { readonly channelId: number; readonly name: string },
  topicAndMessage: string | undefined,
): string {
  const { channelId, name } = channel;
  const href = `/#narrow/channel/${channelId}-${fragmentOf(name.replaceAll(' ', '-'))}`;
  const anchor = (kind: string, path: string, text: string) =>
    `<a class="${kind}" data-stream-id="${channelId}" href="${href}${path}">${text}</a>`;
  const label = `#${escapeHtml(name)}`;
  if (topicAndMessage === undefined) return anchor('stream', '', label);

  const withMessage = /^(.*)@(\d{1,15})$/.exec(topicAndMessage);
  const topic = withMessage?.[1] ?? topicAndMessage;
  const path = `/topic/${fragmentOf(topic)}`;
  const topicText = topic === '' ? `<em>${EMPTY_TOPIC_DISPLAY_NAME}</em>` : escapeHtml(topic);
  const text = `${label} &gt; ${topicText}`;
  if (!withMessage) return anchor('stream-topic', path, text);
  const messageHref = `${href}${path}/near/${withMessage[2]}`;
  return `<a class="message-link" href="${messageHref}">${text} @ 💬</a>`;
}

/**
 * "percent-encode, then `%` becomes `.` and a literal `.` becomes `.2E`"; a lone surrogate has no
 * encoding.
 */
const fragmentOf = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replace(/[.!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');

/**
 * `***c***` is emphasis inside strong here; the library puts strong inside. Runs before texts are
 * joined.
 */
function putStrongOutside(state: StateInline): void {
  const { tokens } = state;
  const openings: number[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const nesting = tokens[index]?.nesting;
    if (nesting === 1) openings.push(index);
    if (nesting !== -1) continue;
    const inner = openings.pop() ?? 0;
    // Between two markers of one run lies the emptied text of the second star of `**`.
    const wraps =
      tokens[index]?.type === 'strong_close' &&
      tokens[index + 2]?.type === 'em_close' &&
      tokens[inner]?.type === 'strong_open' &&
      tokens[inner - 2]?.type === 'em_open' &&
      openings.at(-1) === inner - 2 &&
      isEmptyText(tokens[inner - 1]) &&
      isEmptyText(tokens[index + 1]);
    if (!wraps) continue;
    swapTokens(tokens, inner - 2, inner);
    swapTokens(tokens, index, index + 2);
    openings.pop();
    index += 2;
  }
}

const isEmptyText = (token: Token | undefined): boolean =>
  token?.type === 'text' && token.content === '';

function swapTokens(tokens: Token[], first: number, second: number): void {
  const [one, other] = [tokens[first], tokens[second]];
  if (!one || !other) return;
  tokens[first] = other;
  tokens[second] = one;
}
