/**
 * Markdown about what another service says. Nothing that it says is taken for Markdown, but for the texts that people write
 * there as Markdown: those are quoted. Nobody is mentioned, no code, quote or link is left before its end.
 */

import {
  MESSAGE_LENGTH_MAX,
  NOTICE_QUOTE_LENGTH_MAX,
  NOTICE_TITLE_LENGTH_MAX,
  NOTICE_URL_LENGTH_MAX,
  SLACK_PARTS_MAX,
} from '../domain/limits.ts';
import { isLongerThan } from '../domain/rules/messages/topic.ts';
import { fenced } from '../domain/rules/texts/fenced.ts';

const ELLIPSIS = '…';

/** The text, or its beginning and an ellipsis: so many code points. */
export function cut(text: string, codePointsMax: number): string {
  if (!isLongerThan(text, codePointsMax)) return text;
  // No more units than that can be the code points that stay.
  const kept = [...text.slice(0, 2 * codePointsMax)].slice(0, codePointsMax - 1).join('');
  return kept.trimEnd() + ELLIPSIS;
}

/** The first so many lines are one line: what people write as a title or a name. */
export const oneLine = (text: string, codePointsMax = NOTICE_TITLE_LENGTH_MAX): string =>
  cut(
    text
      .slice(0, 4 * codePointsMax)
      .replace(/\s+/g, ' ')
      .trim(),
    codePointsMax,
  );

/** A title or a name, shown as it reads. */
export const plain = (text: string): string => literal(oneLine(text));

/** Text of several lines, shown as it reads. */
export const literal = (text: string): string =>
  text
    .replace(/[\\`*[\]<]|~(?=~)|\$(?=\$)|&(?=[#a-z])/gi, '\\$&')
    .replace(/^([ \t]*)(#{1,6}(?=[ \t])|>|[-+](?=[ \t-])|\||~(?=~))/gm, '$1\\$2')
    .replace(/^([ \t]*\d{1,9})([.)])(?=\s)/gm, '$1\\$2')
    .replace(/^\/(?=\w)/, '\\/');

/** Who did something; the service may not say. */
export const strong = (text: string | null | undefined): string =>
  `**${plain(text ?? '') || 'Somebody'}**`;

/** A name of a branch, a file or a version. */
export function code(text: string): string {
  const line = oneLine(text);
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return line === '' ? '' : `${fence}${space}${line}${space}${fence}`;
}

/** A link with this label, which is Markdown; only the label where there is nothing to lead to. */
export function link(label: string, url: string | null | undefined): string {
  const target = targetOf(url ?? '');
  return target === undefined ? label : `[${label}](${target})`;
}

/** Only what a browser can go to, in a form in which nothing ends the link. */
function targetOf(url: string): string | undefined {
  if (url.length > NOTICE_URL_LENGTH_MAX || !/^(?:https?:\/\/[^/]|mailto:)/i.test(url)) {
    return undefined;
  }
  const target = url.trim().replace(/[\s()<>[\]\\`*"^{|}\p{Cc}\p{Cs}]/gu, percentEncoded);
  return isLongerThan(target, 2 * NOTICE_URL_LENGTH_MAX) ? undefined : target;
}

function percentEncoded(character: string): string {
  if (character === '(') return '%28';
  if (character === ')') return '%29';
  if (character === '*') return '%2A';
  if (/\p{Cs}/u.test(character)) return '%EF%BF%BD';
  return encodeURIComponent(character);
}

/** What a person wrote there as Markdown, quoted; nothing for an empty text. */
export function quoted(text: string | null | undefined): string {
  const shown = markdownOf(text ?? '');
  return shown === '' ? '' : fenced(shortRuns(shown), 'quote');
}

/** Comments of HTML are hints to who fills in a form. */
const markdownOf = (text: string) =>
  unmentioning(
    cut(text, NOTICE_QUOTE_LENGTH_MAX)
      .replace(/\r\n?/g, '\n')
      .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
      .trim(),
  );

/** Mentions are no more than text: behind the `@` is a space without width. */
export const unmentioning = (markdown: string): string => markdown.replace(/@(?=_?\*)/g, '@\u200b');

/** A block of code, cut to fit. */
export const codeBlock = (text: string, language: string, codePointsMax: number): string =>
  fenced(cut(shortRuns(text), codePointsMax), language);

/** The fence around a text is longer than any run of backticks in it, and is to leave room for the text. */
const shortRuns = (text: string): string => text.replace(/`{10}(?=`)/g, '$&\u200b');

/** Parts one after the other, as many as a message holds. */
export function joined(parts: readonly string[], separator: string): string {
  const given = parts.filter((part) => part !== '');
  let text = '';
  for (const part of given) {
    const next = text === '' ? part : text + separator + part;
    if (isLongerThan(next, MESSAGE_LENGTH_MAX - CONTINUED.length)) {
      return (text || cut(next, MESSAGE_LENGTH_MAX - CONTINUED.length)) + CONTINUED;
    }
    text = next;
  }
  return text;
}

/** The texts of some items that show anything, as long as they fit into one message: no more of them are made. */
export function shown<T>(items: readonly T[], textOf: (item: T) => string): string[] {
  const texts: string[] = [];
  let length = 0;
  for (const item of items.slice(0, SLACK_PARTS_MAX)) {
    const text = textOf(item);
    if (text !== '') texts.push(text);
    length += text.length;
    if (length > 2 * MESSAGE_LENGTH_MAX) break;
  }
  return texts;
}

const CONTINUED = `\n\n${ELLIPSIS}`;

/** `3 commits`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What cannot be stored, or seen, is shown as missing. */
export const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** A topic of what a service says. */
export const topicText = (text: string): string =>
  text
    .slice(0, 4 * NOTICE_TITLE_LENGTH_MAX)
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
