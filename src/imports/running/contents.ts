import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import {
  cutTo,
  isTooLong,
  normalizeContent,
  normalizeTopic,
  truncateTopic,
} from '../../domain/rules/messages/topic.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import type { HistoryText, TextPiece } from '../history.ts';
import type { Target } from './target.ts';

/** Finds the ids and names of a source here; each is looked up once. */
export function openNames({ reads }: Pick<Target, 'reads'>, source: string) {
  const users = new Map<string, number | undefined>();
  const user = (id: string): number | undefined => {
    if (!users.has(id)) users.set(id, idOf(reads, source, 'user', id));
    return users.get(id);
  };
  const channel = (id: string) => {
    const channelId = idOf(reads, source, 'channel', id);
    return channelId === undefined ? undefined : reads.channels.get([channelId]);
  };
  return {
    user,
    users: (ids: readonly string[]): number[] => [
      ...new Set(ids.map(user).filter((id) => id !== undefined)),
    ],
    channel,
    mention(id: string, isSilent: boolean): string {
      const userId = user(id);
      const row = userId === undefined ? undefined : reads.users.get([userId]);
      return row === undefined ? `@${id}` : `@${isSilent ? '_' : ''}**${row.fullName}|${row.id}**`;
    },
    group(id: string): string {
      const groupId = idOf(reads, source, 'group', id);
      const name = groupId === undefined ? undefined : reads.groups.get([groupId])?.name;
      return name === undefined ? `@${id}` : `@*${name}*`;
    },
    link(id: string, topic: string | undefined): string {
      const row = channel(id);
      if (row === undefined) return `#${id}`;
      return topic === undefined ? `#**${row.name}**` : `#**${row.name}>${topic}**`;
    },
  };
}

export type Names = ReturnType<typeof openNames>;

type Piece = Exclude<TextPiece, string>;

/**
 * Returns a text as Markdown. `linked` returns the link of a file, or a text where it is left out.
 */
export async function markdownOf(
  text: HistoryText,
  names: Names,
  linked: (file: Extract<Piece, { file: unknown }>['file']) => Promise<string>,
): Promise<string> {
  let markdown = '';
  for (const piece of text) {
    if (typeof piece === 'string') markdown += piece;
    else if ('mention' in piece) markdown += names.mention(piece.mention, piece.silent === true);
    else if ('mentionAll' in piece) markdown += '@**all**';
    else if ('group' in piece) markdown += names.group(piece.group);
    else if ('channel' in piece) markdown += names.link(piece.channel, piece.topic);
    else markdown += await linked(piece.file);
  }
  return markdown;
}

const CUT = '\n[…]';

/** Returns content as it is stored, cut to the greatest length. */
export function storable(markdown: string): string {
  const content = normalizeContent(markdown.replaceAll('\0', ''));
  return isTooLong(content) ? cutTo(content, MESSAGE_LENGTH_MAX - CUT.length) + CUT : content;
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

export const storableTopic = (topic: string): string =>
  truncateTopic(normalizeTopic(topic.replace(UNPRINTABLE, ' ')));
