import { channelOrder } from './inbox.ts';
import type { Channel, Folder } from './shapes.ts';

/** Channels below one heading of the left column. */
export interface Section {
  /** Stays the same when the folder gets another name. */
  readonly key: string;
  readonly title: string;
  readonly channels: readonly Channel[];
}

/** Cuts channels by what they are: pinned, of a folder, or all others. */
export function sectionsOf(
  channels: Iterable<Channel>,
  folders: readonly Folder[],
): readonly Section[] {
  const sorted = [...channels].sort(channelOrder);
  const known = new Set(folders.map(({ id }) => id));
  const pinned = sorted.filter(({ isPinned }) => isPinned);
  const rest = sorted.filter(({ isPinned }) => !isPinned);
  const isLoose = ({ folderId }: Channel) => folderId === null || !known.has(folderId);
  const loose = rest.filter(isLoose);
  const filled = folders.map(({ id, name }) => ({
    key: `folder ${id}`,
    title: name,
    channels: rest.filter(({ folderId }) => folderId === id),
  }));
  const others = {
    key: 'channels',
    title: pinned.length + loose.length === sorted.length ? 'Channels' : 'Other channels',
    channels: loose,
  };
  return [{ key: 'pinned', title: 'Pinned', channels: pinned }, ...filled, others].filter(
    (section) => section.channels.length > 0,
  );
}

/** A topic below its channel. */
export interface TopicLine {
  readonly topic: string;
  readonly count: number;
  readonly isMentioned: boolean;
}

export interface TopicsInput {
  /** The topics that the server has told of, newest first. */
  readonly known: readonly string[];
  /** The unread ones, newest first. */
  readonly unread: readonly TopicLine[];
  /** The one that is shown; null if none is. */
  readonly shown: string | null;
  /** How many there may be. */
  readonly max: number;
}

/** Returns the topics of a channel: all that are unread, the one that is shown, and new ones. */
export function topicLines({ known, unread, shown, max }: TopicsInput): readonly TopicLine[] {
  const lines = new Map<string, TopicLine>();
  const unreadBy = new Map(unread.map((line) => [line.topic.toLowerCase(), line]));
  const add = (topic: string) => {
    const key = topic.toLowerCase();
    if (lines.has(key)) return;
    lines.set(key, unreadBy.get(key) ?? { topic, count: 0, isMentioned: false });
  };
  const isNeeded = (topic: string) =>
    unreadBy.has(topic.toLowerCase()) || topic.toLowerCase() === shown?.toLowerCase();
  // The server has told of topics newest first; those that came since then are newer still.
  const listed = new Set(known.map((topic) => topic.toLowerCase()));
  for (const { topic } of unread) if (!listed.has(topic.toLowerCase())) add(topic);
  if (shown !== null && !listed.has(shown.toLowerCase())) add(shown);
  known.forEach((topic, index) => {
    if (index < max || isNeeded(topic)) add(topic);
  });
  return [...lines.values()];
}
