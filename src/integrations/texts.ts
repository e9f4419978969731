/**
 * Builds Markdown from the texts of another service. Plain texts are escaped; only texts that
 * people write there as Markdown stay Markdown, and those are quoted. The result mentions no user,
 * and leaves no code, quote or link open.
 */

import {
  NOTICE_QUOTE_LENGTH_MAX,
  NOTICE_TITLE_LENGTH_MAX,
  NOTICE_URL_LENGTH_MAX,
  SLACK_PARTS_MAX,
} from '../domain/limits/bots.ts';
import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import { isLongerThan } from '../domain/rules/messages/topic.ts';
import { fenced } from '../domain/rules/texts/fenced.ts';

const ELLIPSIS = '…';

/** Returns the text, or its beginning and an ellipsis, in at most so many code points. */
export function cut(text: string, codePointsMax: number): string {
  if (!isLongerThan(text, codePointsMax)) return text;
  // The kept code points take at most this many units.
  const kept = [...text.slice(0, 2 * codePointsMax)].slice(0, codePointsMax - 1).join('');
  return kept.trimEnd() + ELLIPSIS;
}

/** Joins the first lines of a title or a name into one. */
export const oneLine = (text: string, codePointsMax = NOTICE_TITLE_LENGTH_MAX): string =>
  cut(
    text
      .slice(0, 4 * codePointsMax)
      .replace(/\s+/g, ' ')
      .trim(),
    codePointsMax,
  );

/** Escapes a title or a name, to be shown as it reads. */
export const plain = (text: string): string => literal(oneLine(text));

/** Escapes text of several lines, to be shown as it reads. */
export const literal = (text: string): string =>
  text
    .replace(/[\\`*[\]<]|~(?=~)|\$(?=\$)|&(?=[#a-z])/gi, '\\$&')
    .replace(/^([ \t]*)(#{1,6}(?=[ \t])|>|[-+](?=[ \t-])|\||~(?=~))/gm, '$1\\$2')
    .replace(/^([ \t]*\d{1,9})([.)])(?=\s)/gm, '$1\\$2')
    .replace(/^\/(?=\w)/, '\\/');

/** Returns the name of the person who did something; the service may not tell it. */
export const strong = (text: string | null | undefined): string =>
  `**${plain(text ?? '') || 'Somebody'}**`;

/** Formats the name of a branch, a file or a version. */
export function code(text: string): string {
  const line = oneLine(text);
  let longest = 0;
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return line === '' ? '' : `${fence}${space}${line}${space}${fence}`;
}

/** Makes a link with this label, which is Markdown; only the label if there is no valid target. */
export function link(label: string, url: string | null | undefined): string {
  const target = targetOf(url ?? '');
  return target === undefined ? label : `[${label}](${target})`;
}

/**
 * Returns a URL that a browser can open, encoded so that no character ends the link; undefined for
 * any other.
 */
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

/** Quotes a text that a person wrote as Markdown; empty for an empty text. */
export function quoted(text: string | null | undefined): string {
  const shown = markdownOf(text ?? '');
  return shown === '' ? '' : fenced(shortRuns(shown), 'quote');
}

/** Removes comments of HTML, which are hints of the form that the person filled in. */
const markdownOf = (text: string) =>
  unmentioning(
    cut(text, NOTICE_QUOTE_LENGTH_MAX)
      .replace(/\r\n?/g, '\n')
      .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
      .trim(),
  );

/** Turns mentions into text by a space without width behind the `@`. */
export const unmentioning = (markdown: string): string => markdown.replace(/@(?=_?\*)/g, '@\u200b');

/** Makes a block of code, cut to fit. */
export const codeBlock = (text: string, language: string, codePointsMax: number): string =>
  fenced(cut(shortRuns(text), codePointsMax), language);

/**
 * Breaks long runs of backticks: the fence around a text is longer than any run in it, and has to
 * leave room for the text.
 */
const shortRuns = (text: string): string => text.replace(/`{10}(?=`)/g, '$&\u200b');

/** Joins as many parts as a message can hold. */
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

/** Returns the texts of the items that are not empty, until they no longer fit into one message. */
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

/** Returns `3 commits` and the like. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Replaces characters that cannot be stored or seen by the sign for a missing one. */
export const storable = (text: string): string => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** Makes a topic of a service's text. */
export const topicText = (text: string): string =>
  text
    .slice(0, 4 * NOTICE_TITLE_LENGTH_MAX)
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
