import type { StateInline } from 'markdown-it';
import { EMPTY_TOPIC_DISPLAY_NAME, normalizeTopic } from '../domain/rules/messages/topic.ts';
import type { LinkableChannel, MarkdownDirectory } from './directory.ts';
import { escapeHtml } from './library.ts';
import { opensAt } from './mentions.ts';
import { hasRoomFor, renderingOf } from './rendering.ts';

const CHANNEL_LINK = /#\*\*([^*>\n]+)(?:>([^*\n]*))?\*\*/y;

/**
 * Reads `#**channel**`, `#**channel>topic**` and `#**channel>topic@214**` (reference/endpoints.md
 * 5.3).
 */
export function channelLink(state: StateInline, silent: boolean): boolean {
  // A link inside the label of a link is not valid HTML.
  if (state.src[state.pos] !== '#' || state.linkLevel > 0 || !opensAt(state)) return false;
  CHANNEL_LINK.lastIndex = state.pos;
  const match = CHANNEL_LINK.exec(state.src);
  if (!match || CHANNEL_LINK.lastIndex > state.posMax) return false;
  if (!silent) {
    const [source, name = '', topic] = match;
    const rendering = renderingOf(state.env);
    const channel = rendering.directory.channelNamed(name);
    const html = channel && channelLinkHtml(rendering.directory, channel, topic);
    if (html === undefined || !hasRoomFor(rendering, html)) state.pending += source;
    else state.push('finished_html', '', 0).content = html;
  }
  state.pos = CHANNEL_LINK.lastIndex;
  return true;
}

function channelLinkHtml(
  directory: MarkdownDirectory,
  { channelId, name }: LinkableChannel,
  topicAndMessage: string | undefined,
): string {
  const href = channelPath({ channelId, name });
  const anchor = (kind: string, path: string, text: string) =>
    `<a class="${kind}" data-stream-id="${channelId}" href="${href}${path}">${text}</a>`;
  const label = `#${escapeHtml(name)}`;
  if (topicAndMessage === undefined) return anchor('stream', '', label);

  const withMessage = /^(.*)@(\d{1,15})$/.exec(topicAndMessage);
  const topic = normalizeTopic(withMessage?.[1] ?? topicAndMessage);
  const path = `/topic/${fragmentOf(topic)}`;
  const topicText = topic === '' ? `<em>${EMPTY_TOPIC_DISPLAY_NAME}</em>` : escapeHtml(topic);
  const text = `${label} &gt; ${topicText}`;
  if (withMessage !== null) {
    const messageHref = `${href}${path}/near/${withMessage[2]}`;
    return `<a class="message-link" href="${messageHref}">${text} @ 💬</a>`;
  }
  const newest = directory.newestInTopic(channelId, topic);
  return anchor('stream-topic', newest === undefined ? path : `${path}/with/${newest}`, text);
}

/** Returns the address of a channel or of one of its topics, from the root. */
export function channelPath(
  { channelId, name }: Pick<LinkableChannel, 'channelId' | 'name'>,
  topic?: string,
): string {
  const path = `/#narrow/channel/${channelId}-${fragmentOf(name.replaceAll(' ', '-'))}`;
  return topic === undefined ? path : `${path}/topic/${fragmentOf(topic)}`;
}

/**
 * "percent-encode, then `%` becomes `.` and a literal `.` becomes `.2E`"; a lone surrogate has no
 * encoding.
 */
const fragmentOf = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replace(/[.!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');
