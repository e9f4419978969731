import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import {
  cutTo,
  isTooLong,
  normalizeContent,
  normalizeTopic,
  truncateTopic,
} from '../../domain/rules/messages/topic.ts';
import { channelPath } from '../../markdown/channel-links.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import type { ChannelPiece, FileReference, HistoryText, TextPiece } from '../history.ts';
import type { Target } from './target.ts';

type Piece = Exclude<TextPiece, string>;

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
    mention({ mention: id, silent, inTable }: Extract<Piece, { mention: unknown }>): string {
      const userId = user(id);
      const row = userId === undefined ? undefined : reads.users.get([userId]);
      if (row === undefined) return `@${id}`;
      const namesakes = [...reads.userNames.keysUnder([row.fullName.toLowerCase()])];
      const isAlone = inTable === true && namesakes.length === 1;
      return `@${silent === true ? '_' : ''}**${row.fullName}${isAlone ? '' : `|${row.id}`}**`;
    },
    group({ group: id, silent }: Extract<Piece, { group: unknown }>): string {
      const groupId = idOf(reads, source, 'group', id);
      const name = groupId === undefined ? undefined : reads.groups.get([groupId])?.name;
      return name === undefined ? `@${id}` : `@${silent === true ? '_' : ''}*${name}*`;
    },
    /** `messageId` is that of the message here to which the link leads, if it is known. */
    link({ channel: id, topic, label }: ChannelPiece, messageId: number | undefined): string {
      const row = channel(id);
      if (row === undefined) return label ?? `#${id}`;
      if (label === undefined && !/[*>\n]/.test(row.name) && !/[*\n]/.test(topic ?? '')) {
        const at = messageId === undefined ? '' : `@${messageId}`;
        return topic === undefined ? `#**${row.name}**` : `#**${row.name}>${topic}${at}**`;
      }
      const shown = `#${row.name}${topic === undefined ? '' : ` > ${topic}`}`;
      const near = messageId === undefined ? '' : `/near/${messageId}`;
      const path = channelPath({ channelId: row.id, name: row.name }, topic);
      return `[${label ?? shown.replace(/[\\[\]*_`<\n]/g, '\\$&')}](${path}${near})`;
    },
  };
}

export type Names = ReturnType<typeof openNames>;

export interface Links {
  /** Returns the link of a file, or a text where it is left out. */
  readonly linked: (file: FileReference) => Promise<string>;
  /** Returns the id here of a message. */
  readonly located: (messageId: string) => Promise<number | undefined>;
}

/** Returns a text as Markdown. */
export async function markdownOf(
  text: HistoryText,
  names: Names,
  { linked, located }: Links,
): Promise<string> {
  let markdown = '';
  for (const piece of text) {
    if (typeof piece === 'string') markdown += piece;
    else if ('mention' in piece) markdown += names.mention(piece);
    else if ('mentionAll' in piece) markdown += '@**all**';
    else if ('group' in piece) markdown += names.group(piece);
    else if ('channel' in piece) {
      const { message } = piece;
      markdown += names.link(piece, message === undefined ? undefined : await located(message));
    } else markdown += await linked(piece.file);
  }
  return markdown;
}

const CUT = '\n[…]';

/** Returns content as it is stored, cut to the greatest length. */
export function storable(markdown: string) {
  const whole = normalizeContent(markdown.replaceAll('\0', ''));
  const isCut = isTooLong(whole);
  return { content: isCut ? cutTo(whole, MESSAGE_LENGTH_MAX - CUT.length) + CUT : whole, isCut };
}

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

export const storableTopic = (topic: string): string =>
  truncateTopic(normalizeTopic(topic.replace(UNPRINTABLE, ' ')));
