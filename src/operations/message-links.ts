import type { MessageRow } from '../../storage/tables/messages.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';

/** How a notice names the place of a channel message, with a link to it; undefined for a direct message. */
export function linkTo(tx: Reads, row: MessageRow): string | undefined {
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  return channel && `#**${channel.name}>${row.topic}@${row.id}**`;
}

/** Where clients find a message. Of ids alone: what is in the title of a spoiler must not end it. */
export function urlOf(tx: Reads, { url }: Place, { id, channelId, recipientId }: MessageRow) {
  if (channelId !== null) return `${url}/#narrow/channel/${channelId}/near/${id}`;
  const people = tx.conversations.get([recipientId])?.userIds ?? [];
  return `${url}/#narrow/dm/${people.join(',')}/near/${id}`;
}

/** The beginning of a text, without half a character at its end. */
export const cutAt = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
