/**
 * Rules for the texts of a message as people type them: what is cut off, which topics are the same,
 * what is refused.
 */

import { TOPIC_LENGTH_MAX } from '../../limits/channels.ts';
import { MESSAGE_LENGTH_MAX } from '../../limits/messages.ts';
import * as errors from '../../wire/errors.ts';

/** The name that clients show for the empty topic; typed as a topic it means the empty one. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat';

/** The topic that older clients send for a message without one. */
const NO_TOPIC = '(no topic)';
const RESOLVED_PREFIX = '✔ ';
const TOPIC_ELLIPSIS = '...';

/**
 * Returns the key of a topic, equal for all spellings of one topic: topics compare
 * case-insensitively everywhere. Lower case needs at most three bytes for each code unit, so the
 * key of a topic within its limit takes less than a fifth of the 1,978 bytes of LMDB.
 */
export const topicKey = (topic: string): string => topic.toLowerCase();

/** Returns the topic as it is stored: trimmed, and empty for the names that stand for no topic. */
export function normalizeTopic(topic: string): string {
  const trimmed = topic.trim();
  const key = topicKey(trimmed);
  return key === NO_TOPIC || key === EMPTY_TOPIC_DISPLAY_NAME ? '' : trimmed;
}

/**
 * Normalizes a topic that a request sets, and refuses it if it has invisible characters: every
 * request that names a new topic gets the same answer. White space around it, also line breaks, is
 * trimmed before the check.
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

/** Returns the topic of a message as it is stored: printable, and cut to the greatest length. */
export const acceptableTopic = (topic: string): string => truncateTopic(printableTopic(topic));

export const isResolvedTopic = (topic: string): boolean => topic.startsWith(RESOLVED_PREFIX);

/**
 * Says whether a change of a topic's name resolves or unresolves it: only the prefix was added, or
 * removed. Null for any other change.
 */
export function resolution(before: string, after: string): 'resolved' | 'unresolved' | null {
  if (!isResolvedTopic(before) && after === RESOLVED_PREFIX + before) return 'resolved';
  return isResolvedTopic(before) && after === withoutPrefix(before) ? 'unresolved' : null;
}

const withoutPrefix = (topic: string) => topic.replace(/^(?:✔ )+/, '');

/** Tests for the mark of a resolved topic without a topic: the empty one cannot be resolved. */
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

/**
 * Over-long content is refused, so that a person's message is never sent in part
 * (docs/decisions/0018).
 */
export const isTooLong = (content: string): boolean => isLongerThan(content, MESSAGE_LENGTH_MAX);

/**
 * Removes blank lines at the beginning and white space at the end. Leading spaces stay: four of
 * them are an indented code block.
 */
export const normalizeContent = (content: string): string =>
  content.trimEnd().replace(/^[\r\n]+/, '');

/**
 * Tests for control characters, lone surrogates and noncharacters, which a person can neither see
 * nor type.
 */
export const unprintableIn = (text: string): boolean =>
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text);

/**
 * Returns the position of the first such character, counted from 1 by code points because people
 * read it in a refusal; 0 if there is none.
 */
export function unprintablePosition(text: string): number {
  let position = 0;
  for (const character of text) {
    position += 1;
    if (unprintableIn(character)) return position;
  }
  return 0;
}

/** Compares the length in code points, as people count. */
export const isLongerThan = (text: string, codePointsMax: number): boolean =>
  offsetOfCodePoint(text, codePointsMax) < text.length;

/**
 * Returns the beginning of a text, cut between code points so that no half of a surrogate pair is
 * left.
 */
export const cutTo = (text: string, codePointsMax: number): string =>
  text.slice(0, offsetOfCodePoint(text, codePointsMax));

/** Returns the offset at which that many code points end, or the length of a shorter text. */
function offsetOfCodePoint(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let offset = 0;
  for (let left = count; left > 0 && offset < text.length; left -= 1) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}
