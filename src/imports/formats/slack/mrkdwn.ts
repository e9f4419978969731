import type { HistoryText } from '../../history.ts';
import { codeBlock, codeOf, linkTo, TextBuilder } from '../shared/texts.ts';

/** The groups of `<…|label>` and of code; a run of backticks that never ends is text. */
const TOKENS =
  /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]*)>|([*_~])|(:[\w+-]{1,100}:)(?::skin-tone-[2-6]:)/g;

/**
 * Converts mrkdwn, the mark-up of Slack's `text` fields, where `&`, `<` and `>` are entities and
 * what is between `<` and `>` is a link or a mention.
 */
export function textOfMrkdwn(source: string): HistoryText {
  const builder = new TextBuilder();
  let at = 0;
  // Without an end, each run would be looked for through all that follows.
  const text = source.split('```').length % 2 === 0 ? closedFences(source) : source;
  for (const match of text.matchAll(TOKENS)) {
    builder.add(words(text.slice(at, match.index)));
    at = match.index + match[0].length;
    const [, block, code, angle, marker, emoji] = match;
    if (block !== undefined) addBlock(builder, block, text.slice(at, at + 1));
    else if (code !== undefined) builder.add(codeOf(unescaped(code)));
    else if (angle !== undefined) addAngle(builder, angle);
    else if (marker !== undefined) builder.add(markerAt(text, match.index, marker));
    else builder.add(emoji ?? '');
  }
  return builder.add(words(text.slice(at))).finished();
}

/** Takes the run that nothing closes for text. */
function closedFences(text: string): string {
  const last = text.lastIndexOf('```');
  return `${text.slice(0, last)}\u200b${text.slice(last).replaceAll('`', '\\`')}`;
}

function addBlock(builder: TextBuilder, code: string, next: string): void {
  const plain = unescaped(code).replace(/<([^<>|\n]{1,2000})(?:\|[^<>\n]{0,2000})?>/g, '$1');
  if (!builder.isEmpty) builder.add('\n');
  builder.add(codeBlock(plain.replace(/^\n|\n$/g, '')));
  if (next !== '\n') builder.add('\n');
}

const BANGS: ReadonlySet<string> = new Set(['here', 'channel', 'everyone', 'group']);

/** Reads what stands between `<` and `>`. */
function addAngle(builder: TextBuilder, angle: string): void {
  const bar = angle.indexOf('|');
  const target = bar < 0 ? angle : angle.slice(0, bar);
  const label = bar < 0 ? '' : unescaped(angle.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith('@') && id !== '') builder.mention(id);
  else if (target.startsWith('#') && id !== '') builder.channel(id);
  else if (target.startsWith('!subteam^')) builder.group(target.slice('!subteam^'.length));
  else if (target.startsWith('!')) addBang(builder, id, label);
  else builder.add(linkTo(unescaped(target), label));
}

function addBang(builder: TextBuilder, command: string, label: string): void {
  const [name = '', seconds = ''] = command.split('^');
  if (BANGS.has(name)) builder.mentionAll();
  else if (name === 'date' && /^\d{1,11}$/.test(seconds)) builder.add(`<time:${seconds}>`);
  else builder.add(words(label));
}

/**
 * `*bold*`, `_italic_` and `~strike~` are marked by one sign, which has to stand at a word's edge.
 */
function markerAt(text: string, index: number, marker: string): string {
  if (!isMarker(text, index, marker)) return marker === '_' ? marker : `\\${marker}`;
  return { '*': '**', _: '*', '~': '~~' }[marker] ?? marker;
}

const EDGE = /[\s\p{P}\p{S}]/u;

/** Tests whether the line has another marker that this one makes a pair with. */
function isMarker(text: string, index: number, marker: string): boolean {
  const before = text[index - 1] ?? '\n';
  const after = text[index + 1] ?? '\n';
  const opens = EDGE.test(before) && before !== marker && !/\s/.test(after) && after !== marker;
  const closes = EDGE.test(after) && after !== marker && !/\s/.test(before) && before !== marker;
  if (opens) return pairEnd(text, index, marker) > 0;
  return closes && pairStart(text, index, marker);
}

/** Emphasis is not looked for further than this, so that the time stays linear. */
const EMPHASIS_LENGTH_MAX = 500;

function pairEnd(text: string, index: number, marker: string): number {
  const within = text.slice(index + 1, index + 1 + EMPHASIS_LENGTH_MAX);
  const line = within.split('\n', 1)[0] ?? '';
  for (let at = line.indexOf(marker); at > 0; at = line.indexOf(marker, at + 1)) {
    const end = index + 1 + at;
    const isEdge = EDGE.test(text[end + 1] ?? '\n') && !/\s/.test(text[end - 1] ?? '\n');
    if (isEdge) return end;
  }
  return -1;
}

function pairStart(text: string, index: number, marker: string): boolean {
  const within = text.slice(Math.max(0, index - EMPHASIS_LENGTH_MAX), index);
  const line = within.slice(within.lastIndexOf('\n') + 1);
  for (let at = line.lastIndexOf(marker); at >= 0; at = line.lastIndexOf(marker, at - 1)) {
    const start = index - line.length + at;
    const isEdge = EDGE.test(text[start - 1] ?? '\n') && !/\s/.test(text[start + 1] ?? '\n');
    if (isEdge) return true;
    if (at === 0) break;
  }
  return false;
}

/** Signs that Slack shows as they are, and Markdown would read. */
const words = (text: string): string =>
  unescaped(
    text
      .replace(/[\\[\]]/g, '\\$&')
      .replace(/^#{1,6}(?=\s)/gm, '\\$&')
      .replace(/^&gt;&gt;&gt;/gm, '&gt;'),
  );

/** `&amp;` comes last, as it may be a part of another entity that was escaped. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
