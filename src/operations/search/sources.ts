import type { UserConversationRow } from '../../../storage/tables/messages/direct-messages.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { EVERYTHING, type Intervals, NOTHING } from '../../domain/rules/messages/read-state.ts';
import type { Reads } from '../access/groups.ts';
import { readableIn } from '../indexes/message-access.ts';
import type { CompiledNarrow } from './compiled-narrow.ts';
import type { Source } from './term.ts';

/** The channels and conversations that a narrow leaves. */
export interface Sources {
  /** Returns the source of a message; undefined if the narrow or the user's rights exclude it. */
  of(row: Pick<MessageRow, 'channelId' | 'recipientId'>): Source | undefined;
  /** Yields all sources that can have a match. */
  all(): Iterable<Source>;
  channels(): Iterable<Source>;
  conversations(): Iterable<Source>;
  /** Returns an upper bound of their number. */
  count(): number;
}

export function openSources(
  tx: Reads,
  user: UserRow,
  { terms, isFullHistory }: { terms: CompiledNarrow; isFullHistory: boolean },
): Sources {
  const known = new Map<number, Source | undefined>();
  const admitted = (source: Source | undefined) =>
    source !== undefined && terms.sourceTests.every((test) => test(source)) ? source : undefined;

  let own: ReadonlySet<number> | null | undefined;
  /** Tests for a channel that the user never was in, once so many were met that it saves reads. */
  function isElsewhere(channelId: number): boolean {
    if (isFullHistory || known.size < CHANNELS_BEFORE_OWN) return false;
    if (own === undefined) own = ownChannels(tx, user);
    return own !== null && !own.has(channelId);
  }
  function channel(channelId: number): Source | undefined {
    const key = -channelId; // conversations have the positive numbers
    if (known.has(key)) return known.get(key);
    // One who never was there has received nothing, even where one may read it.
    if (isElsewhere(channelId)) return undefined;
    const source = admitted(channelSource(tx, user, { channelId, isFullHistory }));
    known.set(key, source);
    return source;
  }
  function conversation(recipientId: number, read?: UserConversationRow): Source | undefined {
    if (known.has(recipientId)) return known.get(recipientId);
    const own = read ?? tx.userConversations.get([user.id, recipientId]);
    const source = own === undefined ? undefined : conversationSource(tx, recipientId, own);
    known.set(recipientId, admitted(source));
    return known.get(recipientId);
  }
  function* channels() {
    for (const channelId of terms.channelIds()) {
      if (terms.topic !== undefined && !tx.topics.has([channelId, terms.topic])) continue;
      const source = channel(channelId);
      if (source !== undefined) yield source;
    }
  }
  function* conversations() {
    if (terms.conversations === 'none') return;
    if (typeof terms.conversations === 'object') {
      const source = conversation(terms.conversations.recipientId);
      if (source !== undefined) yield source;
      return;
    }
    for (const [[, recipientId], own] of tx.userConversations.under([user.id])) {
      const source = conversation(recipientId, own);
      if (source !== undefined) yield source;
    }
  }

  return {
    of: (row) => (row.channelId === null ? conversation(row.recipientId) : channel(row.channelId)),
    channels,
    conversations,
    *all() {
      yield* channels();
      yield* conversations();
    },
    count() {
      let count = 0;
      for (const _ of terms.channelIds()) count += 1;
      if (terms.conversations === 'none') return count;
      for (const _ of tx.userConversations.keysUnder([user.id])) count += 1;
      return count;
    },
  };
}

/** Channels and conversations that are met before it is read which channels are the user's. */
const CHANNELS_BEFORE_OWN = 8;
/** With more channels it takes longer to read which they are than to look for each. */
const OWN_CHANNELS_MAX = 128;

/** Returns the channels that a user is or was in; null for too many. */
function ownChannels(tx: Reads, user: UserRow): ReadonlySet<number> | null {
  const ids = new Set<number>();
  for (const [, id] of tx.userChannels.keysUnder([user.id], { limit: OWN_CHANNELS_MAX + 1 })) {
    ids.add(id);
  }
  return ids.size > OWN_CHANNELS_MAX ? null : ids;
}

function channelSource(
  tx: Reads,
  user: UserRow,
  { channelId, isFullHistory }: { channelId: number; isFullHistory: boolean },
): Source | undefined {
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (subscription === undefined && !isFullHistory) return undefined;
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return undefined;
  const readable = readableIn(tx, user, { channel, subscription });
  const receivedHere = subscription?.received ?? NOTHING;
  // A user may read everything or what they received, so the searched part is one of the two as
  // well.
  const searched: Intervals = isFullHistory || readable !== EVERYTHING ? readable : receivedHere;
  if (searched.length === 0) return undefined;
  return {
    channelId,
    recipientId: channel.recipientId,
    isPublic: !channel.isPrivate,
    isWebPublic: channel.isWebPublic,
    isSubscribed: subscription?.isActive === true,
    isMuted: subscription?.isMuted === true,
    people: () => NOBODY,
    searched,
    received: receivedHere,
    readThrough: subscription?.readThrough ?? 0,
  };
}

const NOBODY: readonly number[] = [];

function conversationSource(
  tx: Reads,
  recipientId: number,
  { readThrough }: UserConversationRow,
): Source {
  return {
    channelId: null,
    recipientId,
    isPublic: false,
    isWebPublic: false,
    isSubscribed: true,
    isMuted: false,
    people: () => tx.conversations.get([recipientId])?.userIds ?? NOBODY,
    searched: EVERYTHING,
    received: EVERYTHING,
    readThrough,
  };
}
