/**
 * Renders Markdown to HTML (reference/endpoints.md section 5). It runs once a message on the only
 * thread, so plain lines do not enter the parser, and every step takes linear time for any input.
 */

import { inOrder } from '../domain/ascending.ts';
import type { MarkdownDirectory } from './directory.ts';
import { mayHoldEmoji } from './emoji/characters.ts';
import { mayHoldEmoticon } from './emoji/emoticons.ts';
import { escapeHtml } from './library.ts';
import { createParser } from './parser.ts';
import { envOf, newRendering } from './rendering.ts';

export interface RenderedContent {
  readonly html: string;
  /** non-silent personal mentions, unique, ascending */
  readonly mentionedUserIds: readonly number[];
  /** non-silent mentions of active groups, unique, ascending */
  readonly mentionedGroupIds: readonly number[];
  /** the wider one if both are present */
  readonly wildcard: 'channel' | 'topic' | null;
  readonly hasChannelWildcard: boolean;
  readonly hasTopicWildcard: boolean;
  /** links whose pages may get previews once they have been fetched, each once */
  readonly pagesToUnfurl: readonly string[];
}

export const renderMarkdown = (content: string, directory: MarkdownDirectory): RenderedContent =>
  isPlainLine(content, directory) ? renderPlainLine(content) : renderWithParser(content, directory);

/** A `/me` message is rendered like any other; clients show it as an action. */
export const isMeMessage = (content: string): boolean => content.startsWith('/me ');

const parser = createParser();

/**
 * Renders with all of Markdown; exported so that a test can compare the shortcut for plain lines
 * with it.
 */
export function renderWithParser(content: string, directory: MarkdownDirectory): RenderedContent {
  const rendering = newRendering(directory);
  const html = parser.render(content, envOf(rendering));
  const { hasChannelWildcard, hasTopicWildcard } = rendering;
  return {
    html: html.endsWith('\n') ? html.slice(0, -1) : html,
    mentionedUserIds: inOrder(rendering.mentionedUserIds),
    mentionedGroupIds: inOrder(rendering.mentionedGroupIds),
    wildcard: hasChannelWildcard ? 'channel' : hasTopicWildcard ? 'topic' : null,
    hasChannelWildcard,
    hasTopicWildcard,
    pagesToUnfurl: rendering.pagesToUnfurl,
  };
}

/** Tests that no part of the text can have a meaning to the parser; false if in doubt. */
export const isPlainLine = (text: string, directory: MarkdownDirectory): boolean =>
  !MEANT_INLINE.test(text) &&
  !MEANT_AT_START.test(text) &&
  !/[ \t]$/.test(text) &&
  !mayHoldEmoji(text) &&
  !(directory.translatesEmoticons && mayHoldEmoticon(text)) &&
  !directory.linkifiers.mayMatch(text);

/**
 * Without `*` there is no mention or channel link, without `[` no link, and `_` never has a
 * meaning.
 */
const MEANT_INLINE = /[*`[\\\n\r\0]|&[#a-z]|<[^\s<>]+>|<time:|~~|\$\$|:\/\/|mailto:|:[\w+-]+:/i;
/** Matches indents, quotes, headings, rules and lists. */
const MEANT_AT_START = /^(?:[ \t>_]|#[# \t]|[-+][-+ \t]|\d{1,9}[.)][ \t])/;

const NOBODY: readonly number[] = Object.freeze([]);
const NO_PAGES: readonly string[] = Object.freeze([]);

const renderPlainLine = (line: string): RenderedContent => ({
  html: line === '' ? '' : `<p>${escapeHtml(line)}</p>`,
  mentionedUserIds: NOBODY,
  mentionedGroupIds: NOBODY,
  wildcard: null,
  hasChannelWildcard: false,
  hasTopicWildcard: false,
  pagesToUnfurl: NO_PAGES,
});
