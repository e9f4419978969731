/**
 * Texts of a message as people type them: what is cut off, what is the same topic, what is refused.
 */

import { MESSAGE_LENGTH_MAX, TOPIC_LENGTH_MAX } from '../../limits.ts';
import * as errors from '../../wire/errors.ts';

/** What clients show for the empty topic; typed as a topic it means the empty one. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat';

/** What older clients send for a message without a topic. */
const NO_TOPIC = '(no topic)';
const RESOLVED_PREFIX = '✔ ';
const TOPIC_ELLIPSIS = '...';

/**
 * Equal for topics that are the same one: topics compare case-insensitively everywhere. Lower case
 * needs at most three bytes for each code unit, so the key of a topic within its limit takes less
 * than a fifth of the 1,978 bytes of LMDB.
 */
export const topicKey = (topic: string): string => topic.toLowerCase();

/** The topic as stored: trimmed, and empty for the names that stand for no topic. */
export function normalizeTopic(topic: string): string {
  const trimmed = topic.trim();
  const key = topicKey(trimmed);
  return key === NO_TOPIC || key === EMPTY_TOPIC_DISPLAY_NAME ? '' : trimmed;
}

/**
 * The same, refused where it holds what nobody sees: whoever names a topic that is to be gets the same answer, whatever
 * the request. White space around it, line breaks too, is trimmed before the look.
 */
export function printableTopic(topic: string): string {
  const name = normalizeTopic(topic);
  if (unprintableIn(name)) {
    throw errors.badRequest(
      `Invalid character in topic, at position ${unprintablePosition(name)}!`,
    );
  }
  return name;
}

/** The topic of a message, as it is stored. */
export const acceptableTopic = (topic: string): string => truncateTopic(printableTopic(topic));

export const isResolvedTopic = (topic: string): boolean => topic.startsWith(RESOLVED_PREFIX);

/** What a change of a topic's name is besides: the prefix and nothing else came, or went. */
export function resolution(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (!isResolvedTopic(before) && after === RESOLVED_PREFIX + before) return 'resolved';
  return isResolvedTopic(before) && after === withoutPrefix(before) ? 'unresolved' : null;
}

const withoutPrefix = (topic: string) => topic.replace(/^(?:✔ )+/, '');

/** A mark without a topic: the empty one cannot be resolved. */
export const isResolvedEmpty = (topic: string): boolean =>
  topic.trim() === RESOLVED_PREFIX.trim() ||
  topicKey(topic) === RESOLVED_PREFIX + EMPTY_TOPIC_DISPLAY_NAME;

export const isLongTopic = (topic: string): boolean => isLongerThan(topic, TOPIC_LENGTH_MAX);

/** An over-long topic is cut, not refused (reference/endpoints.md 1.1). */
export function truncateTopic(topic: string): string {
  if (!isLongTopic(topic)) return topic;
  const kept = offsetOfCodePoint(topic, TOPIC_LENGTH_MAX - TOPIC_ELLIPSIS.length);
  return topic.slice(0, kept) + TOPIC_ELLIPSIS;
}

/** Over-long content is refused: what a person wrote is never sent in part (docs/decisions/0018). */
export const isTooLong = (content: string): boolean => isLongerThan(content, MESSAGE_LENGTH_MAX);

/** Leading spaces stay: four of them are an indented code block. */
export const normalizeContent = (content: string): string =>
  content.trimEnd().replace(/^[\r\n]+/, '');

/** Control characters, lone surrogates and noncharacters: nothing a person can see or type. */
export const unprintableIn = (text: string): boolean =>
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text);

/** Counted from 1, by code points: for a refusal, which is read by people. 0 where there is none. */
export function unprintablePosition(text: string): number {
  let position = 0;
  for (const character of text) {
    position += 1;
    if (unprintableIn(character)) return position;
  }
  return 0;
}

/** By code points, as people count. */
export const isLongerThan = (text: string, codePointsMax: number): boolean =>
  offsetOfCodePoint(text, codePointsMax) < text.length;

/** The beginning of a text, of so many code points at most: half of one is no text. */
export const cutTo = (text: string, codePointsMax: number): string =>
  text.slice(0, offsetOfCodePoint(text, codePointsMax));

/** Where that many code points end; the length of a text that has no more of them. */
function offsetOfCodePoint(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let offset = 0;
  for (let left = count; left > 0 && offset < text.length; left -= 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
