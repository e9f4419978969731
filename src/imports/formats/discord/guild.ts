import type { HistoryEmoji, HistoryUser } from '../../history.ts';
import type { Bound } from '../shared/bounds.ts';
import { topicOf } from '../shared/topics.ts';

export interface Guild {
  readonly users: Map<string, HistoryUser>;
  readonly emoji: Map<string, HistoryEmoji>;
  /** By entry: a long channel has several files. */
  readonly channels: Map<string, ChannelFile>;
  readonly subscriptions: Bound;
}

export interface ChannelFile {
  readonly entry: string;
  readonly id: string;
  /** Such as `GuildTextChat`, `GuildPublicThread`, `DirectTextChat`. */
  readonly type: string;
  readonly name: string;
  readonly description: string;
  /** For a thread its channel, otherwise the category; `''` if there is none. */
  readonly parentId: string;
  readonly parentName: string;
  /** UNIX milliseconds of the first message. */
  readonly firstAt: number;
  readonly authors: readonly string[];
}

export interface Place {
  /** Undefined for a direct conversation. */
  readonly channel?: string;
  /** Given for a thread. */
  readonly topic?: string;
}

export function placeOf({ type, id, name, parentId }: ChannelFile): Place {
  if (/^(?:Direct|DM|GroupDM)/.test(type)) return {};
  const isThread = /Thread$/.test(type) && parentId !== '';
  return isThread ? { channel: parentId, topic: topicOf(name) || id } : { channel: id };
}
