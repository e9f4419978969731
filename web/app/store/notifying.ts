import { dmNarrow, narrowRoute, type Route, topicNarrow } from './route.ts';
import { placeKey, topicLabel } from './shapes.ts';
import { peopleLabel, type TitleNames } from './title.ts';

/** An event that brings a message. */
export interface Arrived {
  readonly flags: readonly string[];
  readonly message: {
    readonly id: number;
    readonly sender_id: number;
    readonly sender_full_name: string;
    readonly type: 'stream' | 'private';
    readonly stream_id?: number;
    readonly subject: string;
    readonly content: string;
    readonly display_recipient: string | readonly { readonly id: number }[];
  };
}

export interface DesktopNotice {
  readonly title: string;
  readonly text: string;
  /** The same for messages of one conversation. */
  readonly tag: string;
  readonly route: Route;
}

interface Wish {
  /** True if the account wants to be told of it, whether it mentions anybody or not. */
  readonly isWanted?: boolean;
  /** False if the texts of direct messages are not shown to who looks over one's shoulder. */
  readonly hasText?: boolean;
}

/** Returns what to show of a message; null for one that asks for nobody in particular. */
export function noticeOf(
  { message, flags }: Arrived,
  names: TitleNames,
  { isWanted = false, hasText = true }: Wish = {},
): DesktopNotice | null {
  const { id, sender_id: senderId, sender_full_name: sender, subject: topic } = message;
  if (senderId === names.ownId || flags.includes('read')) return null;
  const text = textOf(message.content);
  if (message.stream_id === undefined) {
    const all = typeof message.display_recipient === 'string' ? [] : message.display_recipient;
    const others = all.map((one) => one.id).filter((one) => one !== names.ownId);
    return {
      title: others.length > 1 ? `${sender} to ${peopleLabel(others, names)}` : sender,
      text: hasText ? text : 'wrote to you',
      // The service worker makes the same tag of a push, which may name people in another order.
      tag: placeKey({ kind: 'dm', userIds: [...others].sort((a, b) => a - b) }),
      route: narrowRoute(dmNarrow(others), id),
    };
  }
  if (!isWanted && !flags.includes('mentioned')) return null;
  const channelId = message.stream_id;
  return {
    title: `${sender} in ${names.channel(channelId) ?? ''} › ${topicLabel(topic)}`,
    text,
    tag: placeKey({ kind: 'topic', channelId, topic }),
    route: narrowRoute(topicNarrow(channelId, topic), id),
  };
}

/** Systems show less. */
const TEXT_LENGTH_MAX = 300;
/** A message may have a megabyte of HTML; its beginning is enough. */
const HTML_LENGTH_MAX = 20_000;

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Returns the text of the HTML that the server writes; a system shows it, and reads no HTML. */
export const textOf = (html: string): string =>
  html
    .slice(0, HTML_LENGTH_MAX)
    .replace(/<[^>]*>?/g, ' ')
    .replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_LENGTH_MAX);
