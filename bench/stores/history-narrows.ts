import type { RealmReader } from '../../storage/transaction.ts';
import {
  BOT,
  isMembersChannel,
  MEMBER,
  NEWCOMER,
  OWNER,
  PRIVATE,
  REPORTS,
  RETURNED,
  SILENT,
} from './history-store.ts';
import { askedBy, type Kind, kind } from './narrows.ts';
import { hashOf } from './search-store.ts';

/** Kinds that are alike have the same group. */
export interface Grouped extends Kind {
  readonly group: string;
}

/** Returns a narrow for everything that reference/endpoints.md 2.1 has, the sparse ones last. */
export function narrowsOf(reader: RealmReader): readonly Grouped[] {
  const picks = picksOf(reader);
  const groups = {
    'by place': byPlace(picks),
    'by mark': byMark(),
    'by contents': byContents(picks),
    'several terms': combined(picks),
    'negated terms': negated(picks),
    'what few messages match': sparse(picks),
  };
  return Object.entries(groups).flatMap(([group, kinds]) =>
    kinds.map((one) => ({ ...one, group })),
  );
}

interface Picks {
  channel(n: number): number;
  /** One that the member is not in. */
  otherChannel(n: number): number;
  topic(n: number): string;
  channelOfTopic(n: number): number;
  /** Somebody who wrote to the member. */
  other(n: number): number;
  /** The same, as all people of a conversation. */
  dm(n: number): readonly number[];
  group(n: number): readonly number[];
  /** Somebody who wrote a lot. */
  sender(n: number): number;
  /** A message that the member may read. */
  message(n: number): number;
}

/** Picks things that the store holds, by a hash of the number of the request. */
function picksOf(reader: RealmReader): Picks {
  const channels = Array.from(reader.channels.keys({}), ([id]) => id);
  const own = channels.filter(isMembersChannel);
  const others = channels.filter((id) => !isMembersChannel(id));
  const topics = own.flatMap((channelId) =>
    Array.from(
      reader.topics.under([channelId], { limit: 500 }),
      ([, { name }]) => [channelId, name] as const,
    ),
  );
  const conversations = Array.from(
    reader.userConversations.keysUnder([MEMBER]),
    ([, recipientId]) =>
      (reader.conversations.get([recipientId])?.userIds ?? []).filter((id) => id !== MEMBER),
  );
  const senders = [...new Set(conversations.flat())];
  const messages = own.flatMap((channelId) =>
    Array.from(reader.channelMessages.keysUnder([channelId], { limit: 200 }), ([, id]) => id),
  );
  const any = <T>(list: readonly T[], n: number, salt: string): T => {
    const one = list[hashOf(`${n} ${salt}`) % list.length];
    if (one === undefined) throw new Error(`the store has nothing to ask for: ${salt}`);
    return one;
  };
  const pairs = conversations.filter(({ length }) => length === 1).flat();
  const groups = conversations.filter(({ length }) => length > 1);
  const other = (n: number) => any(pairs, n, 'other');
  return {
    channel: (n) => any(own, n, 'channel'),
    otherChannel: (n) => any(others, n, 'other channel'),
    topic: (n) => any(topics, n, 'topic')[1],
    channelOfTopic: (n) => any(topics, n, 'topic')[0],
    other,
    dm: (n) => [other(n)],
    group: (n) => any(groups, n, 'group'),
    sender: (n) => any(senders, n, 'sender'),
    message: (n) => any(messages, n, 'message'),
  };
}

const byPlace = (picks: Picks) => {
  const { channel, otherChannel, topic, channelOfTopic, other, dm, group, sender, message } = picks;
  return [
    kind('(none)'),
    askedBy(RETURNED, kind('(none), in every channel')),
    kind('channel', ['channel', channel]),
    kind('channel, not subscribed', ['channel', otherChannel]),
    kind('channel, private', ['channel', (n) => PRIVATE[n % 2]]),
    kind('channels:public', ['channels', 'public']),
    kind('channels:web-public', ['channels', 'web-public']),
    kind('topic', ['topic', topic]),
    kind('channel + topic', ['channel', channelOfTopic], ['topic', topic]),
    kind('dm, two people', ['dm', dm]),
    kind('dm, a group', ['dm', group]),
    kind('dm-including', ['dm-including', other]),
    kind('group-pm-with', ['group-pm-with', (n) => group(n)[0]]),
    kind('sender', ['sender', sender]),
    kind('sender, oneself', ['sender', MEMBER]),
    kind('in:home', ['in', 'home']),
    kind('in:all', ['in', 'all']),
    kind('id', ['id', message]),
    kind('near', ['near', message]),
    kind('channel + near', ['channel', channel], ['near', message]),
    kind('with', ['with', message]),
  ];
};

const byMark = () => [
  kind('is:dm', ['is', 'dm']),
  kind('is:starred', ['is', 'starred']),
  kind('is:unread', ['is', 'unread']),
  askedBy(RETURNED, kind('is:unread, 50,000', ['is', 'unread'])),
  kind('is:mentioned', ['is', 'mentioned']),
  kind('is:alerted', ['is', 'alerted']),
  kind('is:resolved', ['is', 'resolved']),
  kind('is:followed', ['is', 'followed']),
  kind('is:muted', ['is', 'muted']),
];

const byContents = ({ channel, sender, dm }: Picks) =>
  ['attachment', 'image', 'link', 'reaction'].flatMap((operand) => [
    kind(`has:${operand}`, ['has', operand]),
    kind(`channel + has:${operand}`, ['channel', channel], ['has', operand]),
    kind(`sender + has:${operand}`, ['sender', sender], ['has', operand]),
    kind(`dm + has:${operand}`, ['dm', dm], ['has', operand]),
    kind(`channels:public + has:${operand}`, ['channels', 'public'], ['has', operand]),
  ]);

const combined = ({ channel, channelOfTopic, topic, sender, other, message }: Picks) => [
  kind('sender + channel', ['sender', sender], ['channel', channel]),
  kind('sender + topic', ['sender', sender], ['topic', topic]),
  kind(
    'sender + channel + topic',
    ['sender', sender],
    ['channel', channelOfTopic],
    ['topic', topic],
  ),
  kind('sender + is:dm', ['sender', other], ['is', 'dm']),
  kind('sender + in:home', ['sender', sender], ['in', 'home']),
  ...['starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].flatMap(
    (operand) => [
      kind(`channel + is:${operand}`, ['channel', channel], ['is', operand]),
      kind(`sender + is:${operand}`, ['sender', sender], ['is', operand]),
    ],
  ),
  kind('is:unread + is:mentioned', ['is', 'unread'], ['is', 'mentioned']),
  kind('is:unread + is:dm', ['is', 'unread'], ['is', 'dm']),
  kind('is:unread + in:home', ['is', 'unread'], ['in', 'home']),
  kind('is:resolved + has:link', ['is', 'resolved'], ['has', 'link']),
  kind('with + is:unread', ['with', message], ['is', 'unread']),
];

const negated = ({ channel, channelOfTopic, topic, sender, other, dm, message }: Picks) => [
  kind('-channel', ['-channel', channel]),
  kind('-channels:public', ['-channels', 'public']),
  kind('-channels:web-public', ['-channels', 'web-public']),
  kind('-topic', ['-topic', topic]),
  kind('channel - topic', ['channel', channelOfTopic], ['-topic', topic]),
  kind('-dm', ['-dm', dm]),
  kind('is:dm - dm-including', ['is', 'dm'], ['-dm-including', other]),
  kind('is:dm - group-pm-with', ['is', 'dm'], ['-group-pm-with', other]),
  kind('-sender', ['-sender', sender]),
  kind('channel - sender', ['channel', channel], ['-sender', sender]),
  kind('-id', ['-id', message]),
  kind('-with', ['-with', message]),
  kind('-in:home', ['-in', 'home']),
  ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].map(
    (operand) => kind(`-is:${operand}`, ['-is', operand]),
  ),
  ...['attachment', 'image', 'link', 'reaction'].map((operand) =>
    kind(`-has:${operand}`, ['-has', operand]),
  ),
];

/** Narrows that few messages match, or none, among a million. */
const sparse = ({ channel, otherChannel, topic }: Picks) => [
  kind('sender of one message', ['sender', SILENT]),
  kind('sender of none', ['sender', NEWCOMER]),
  kind('sender of one message, in:home', ['sender', SILENT], ['in', 'home']),
  kind(
    'sender + channel, never together',
    ['sender', BOT],
    ['channel', (n) => (n % 2 === 0 ? 4 : channel(n))],
  ),
  kind('sender + another topic', ['sender', BOT], ['topic', topic]),
  kind('topic, of none', ['topic', 'nowhere']),
  kind('topic, of others', ['topic', 'once']),
  askedBy(NEWCOMER, kind('is:starred, 5', ['is', 'starred'])),
  askedBy(NEWCOMER, kind('is:mentioned, few', ['is', 'mentioned'])),
  askedBy(NEWCOMER, kind('is:alerted, few', ['is', 'alerted'])),
  askedBy(NEWCOMER, kind('is:followed, one topic', ['is', 'followed'])),
  askedBy(NEWCOMER, kind('is:dm, none', ['is', 'dm'])),
  askedBy(NEWCOMER, kind('in:home, nearly all is muted', ['in', 'home'])),
  askedBy(OWNER, kind('is:muted, as nothing is', ['is', 'muted'])),
  askedBy(NEWCOMER, kind('-is:muted, nearly all is', ['-is', 'muted'])),
  kind('channel - topic, nearly all is', ['channel', REPORTS], ['-topic', 'nightly']),
  kind('channel - sender, nearly all is', ['channel', REPORTS], ['-sender', BOT]),
  kind('channel - has:link, nearly all has', ['channel', REPORTS], ['-has', 'link']),
  kind('channel - is:muted, all is', ['channel', REPORTS], ['-is', 'muted']),
  kind('-has:link -channels:public', ['-channels', 'public'], ['-has', 'link']),
  kind('channel + has:attachment, others have', ['channel', otherChannel], ['has', 'attachment']),
  kind('sender + has:image, never together', ['sender', SILENT], ['has', 'image']),
  kind('is:resolved + sender', ['is', 'resolved'], ['sender', BOT]),
  kind('is:resolved, where none is', ['channel', REPORTS], ['is', 'resolved']),
  kind('channel - is:resolved', ['channel', channel], ['-is', 'resolved']),
  kind('is:resolved + is:muted', ['is', 'resolved'], ['is', 'muted']),
  kind('is:starred + has:image', ['is', 'starred'], ['has', 'image']),
  kind('is:dm + has:image', ['is', 'dm'], ['has', 'image']),
  kind('is:dm + sender, who never wrote', ['is', 'dm'], ['sender', BOT]),
  kind('is:unread - all that is', ['is', 'unread'], ['-channels', 'public'], ['-is', 'dm']),
  askedBy(RETURNED, kind('-is:unread, 50,000', ['-is', 'unread'])),
  kind('has:link + has:image', ['has', 'link'], ['has', 'image']),
  kind('has:attachment + has:reaction', ['has', 'attachment'], ['has', 'reaction']),
];
