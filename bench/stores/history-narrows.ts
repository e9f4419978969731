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
import { hashOf } from './search-store.ts';

type Term = readonly [operator: string, operand: unknown, negated?: true];

/** A kind of narrow, and who asks with it. */
export interface Kind {
  readonly kind: string;
  /** Kinds that are alike have the same group. */
  readonly group: string;
  readonly as: number;
  /** The n-th of this kind. */
  readonly narrow: (n: number) => readonly Term[];
}

/** Returns a narrow for everything that reference/endpoints.md 2.1 has, the sparse ones last. */
export function narrowsOf(reader: RealmReader): readonly Kind[] {
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

const kind = (name: string, narrow: Kind['narrow'], as = MEMBER): Omit<Kind, 'group'> => ({
  kind: name,
  as,
  narrow,
});
const is = (name: string, operand: string, as = MEMBER) => kind(name, () => [['is', operand]], as);

interface Picks {
  channel(n: number): number;
  /** One that the member is not in. */
  otherChannel(n: number): number;
  topic(n: number): readonly [channelId: number, name: string];
  /** Somebody who wrote to the member. */
  other(n: number): number;
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
  return {
    channel: (n) => any(own, n, 'channel'),
    otherChannel: (n) => any(others, n, 'other channel'),
    topic: (n) => any(topics, n, 'topic'),
    other: (n) => any(conversations.filter(({ length }) => length === 1).flat(), n, 'other'),
    group: (n) =>
      any(
        conversations.filter(({ length }) => length > 1),
        n,
        'group',
      ),
    sender: (n) => any(senders, n, 'sender'),
    message: (n) => any(messages, n, 'message'),
  };
}

const byPlace = ({ channel, otherChannel, topic, other, group, sender, message }: Picks) => [
  kind('(none)', () => []),
  kind('(none), in every channel', () => [], RETURNED),
  kind('channel', (n) => [['channel', channel(n)]]),
  kind('channel, not subscribed', (n) => [['channel', otherChannel(n)]]),
  kind('channel, private', (n) => [['channel', PRIVATE[n % 2]]]),
  kind('channels:public', () => [['channels', 'public']]),
  kind('channels:web-public', () => [['channels', 'web-public']]),
  kind('topic', (n) => [['topic', topic(n)[1]]]),
  kind('channel + topic', (n) => [
    ['channel', topic(n)[0]],
    ['topic', topic(n)[1]],
  ]),
  kind('dm, two people', (n) => [['dm', [other(n)]]]),
  kind('dm, a group', (n) => [['dm', group(n)]]),
  kind('dm-including', (n) => [['dm-including', other(n)]]),
  kind('group-pm-with', (n) => [['group-pm-with', group(n)[0]]]),
  kind('sender', (n) => [['sender', sender(n)]]),
  kind('sender, oneself', () => [['sender', MEMBER]]),
  kind('in:home', () => [['in', 'home']]),
  kind('in:all', () => [['in', 'all']]),
  kind('id', (n) => [['id', message(n)]]),
  kind('near', (n) => [['near', message(n)]]),
  kind('channel + near', (n) => [
    ['channel', channel(n)],
    ['near', message(n)],
  ]),
  kind('with', (n) => [['with', message(n)]]),
];

const byMark = () => [
  is('is:dm', 'dm'),
  is('is:starred', 'starred'),
  is('is:unread', 'unread'),
  is('is:unread, 50,000', 'unread', RETURNED),
  is('is:mentioned', 'mentioned'),
  is('is:alerted', 'alerted'),
  is('is:resolved', 'resolved'),
  is('is:followed', 'followed'),
  is('is:muted', 'muted'),
];

const byContents = ({ channel, sender, other }: Picks) =>
  (['attachment', 'image', 'link', 'reaction'] as const).flatMap((operand) => [
    kind(`has:${operand}`, () => [['has', operand]]),
    kind(`channel + has:${operand}`, (n) => [
      ['channel', channel(n)],
      ['has', operand],
    ]),
    kind(`sender + has:${operand}`, (n) => [
      ['sender', sender(n)],
      ['has', operand],
    ]),
    kind(`dm + has:${operand}`, (n) => [
      ['dm', [other(n)]],
      ['has', operand],
    ]),
    kind(`channels:public + has:${operand}`, () => [
      ['channels', 'public'],
      ['has', operand],
    ]),
  ]);

const combined = ({ channel, topic, sender, other, message }: Picks) => [
  kind('sender + channel', (n) => [
    ['sender', sender(n)],
    ['channel', channel(n)],
  ]),
  kind('sender + topic', (n) => [
    ['sender', sender(n)],
    ['topic', topic(n)[1]],
  ]),
  kind('sender + channel + topic', (n) => [
    ['sender', sender(n)],
    ['channel', topic(n)[0]],
    ['topic', topic(n)[1]],
  ]),
  kind('sender + is:dm', (n) => [
    ['sender', other(n)],
    ['is', 'dm'],
  ]),
  kind('sender + in:home', (n) => [
    ['sender', sender(n)],
    ['in', 'home'],
  ]),
  ...['starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].flatMap(
    (operand) => [
      kind(`channel + is:${operand}`, (n) => [
        ['channel', channel(n)],
        ['is', operand],
      ]),
      kind(`sender + is:${operand}`, (n) => [
        ['sender', sender(n)],
        ['is', operand],
      ]),
    ],
  ),
  kind('is:unread + is:mentioned', () => [
    ['is', 'unread'],
    ['is', 'mentioned'],
  ]),
  kind('is:unread + is:dm', () => [
    ['is', 'unread'],
    ['is', 'dm'],
  ]),
  kind('is:unread + in:home', () => [
    ['is', 'unread'],
    ['in', 'home'],
  ]),
  kind('is:resolved + has:link', () => [
    ['is', 'resolved'],
    ['has', 'link'],
  ]),
  kind('with + is:unread', (n) => [
    ['with', message(n)],
    ['is', 'unread'],
  ]),
];

const negated = ({ channel, topic, sender, other, message }: Picks) => [
  kind('-channel', (n) => [['channel', channel(n), true]]),
  kind('-channels:public', () => [['channels', 'public', true]]),
  kind('-channels:web-public', () => [['channels', 'web-public', true]]),
  kind('-topic', (n) => [['topic', topic(n)[1], true]]),
  kind('channel - topic', (n) => [
    ['channel', topic(n)[0]],
    ['topic', topic(n)[1], true],
  ]),
  kind('-dm', (n) => [['dm', [other(n)], true]]),
  kind('is:dm - dm-including', (n) => [
    ['is', 'dm'],
    ['dm-including', other(n), true],
  ]),
  kind('is:dm - group-pm-with', (n) => [
    ['is', 'dm'],
    ['group-pm-with', other(n), true],
  ]),
  kind('-sender', (n) => [['sender', sender(n), true]]),
  kind('channel - sender', (n) => [
    ['channel', channel(n)],
    ['sender', sender(n), true],
  ]),
  kind('-id', (n) => [['id', message(n), true]]),
  kind('-with', (n) => [['with', message(n), true]]),
  kind('-in:home', () => [['in', 'home', true]]),
  ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].map(
    (operand) => kind(`-is:${operand}`, () => [['is', operand, true]]),
  ),
  ...['attachment', 'image', 'link', 'reaction'].map((operand) =>
    kind(`-has:${operand}`, () => [['has', operand, true]]),
  ),
];

/** Narrows that few messages match, or none, among a million. */
const sparse = ({ channel, otherChannel, topic }: Picks) => [
  kind('sender of one message', () => [['sender', SILENT]]),
  kind('sender of none', () => [['sender', NEWCOMER]]),
  kind('sender of one message, in:home', () => [
    ['sender', SILENT],
    ['in', 'home'],
  ]),
  kind('sender + channel, never together', (n) => [
    ['sender', BOT],
    ['channel', n % 2 === 0 ? 4 : channel(n)],
  ]),
  kind('sender + another topic', (n) => [
    ['sender', BOT],
    ['topic', topic(n)[1]],
  ]),
  kind('topic, of none', () => [['topic', 'nowhere']]),
  kind('topic, of others', () => [['topic', 'once']]),
  is('is:starred, 5', 'starred', NEWCOMER),
  is('is:mentioned, few', 'mentioned', NEWCOMER),
  is('is:alerted, few', 'alerted', NEWCOMER),
  is('is:followed, one topic', 'followed', NEWCOMER),
  is('is:dm, none', 'dm', NEWCOMER),
  kind('in:home, nearly all is muted', () => [['in', 'home']], NEWCOMER),
  is('is:muted, as nothing is', 'muted', OWNER),
  kind('-is:muted, nearly all is', () => [['is', 'muted', true]], NEWCOMER),
  kind('channel - topic, nearly all is', () => [
    ['channel', REPORTS],
    ['topic', 'nightly', true],
  ]),
  kind('channel - sender, nearly all is', () => [
    ['channel', REPORTS],
    ['sender', BOT, true],
  ]),
  kind('channel - has:link, nearly all has', () => [
    ['channel', REPORTS],
    ['has', 'link', true],
  ]),
  kind('channel - is:muted, all is', () => [
    ['channel', REPORTS],
    ['is', 'muted', true],
  ]),
  kind('-has:link -channels:public', () => [
    ['channels', 'public', true],
    ['has', 'link', true],
  ]),
  kind('channel + has:attachment, others have', (n) => [
    ['channel', otherChannel(n)],
    ['has', 'attachment'],
  ]),
  kind('sender + has:image, never together', () => [
    ['sender', SILENT],
    ['has', 'image'],
  ]),
  kind('is:resolved + sender', () => [
    ['is', 'resolved'],
    ['sender', BOT],
  ]),
  kind('is:resolved, where none is', () => [
    ['channel', REPORTS],
    ['is', 'resolved'],
  ]),
  kind('channel - is:resolved', (n) => [
    ['channel', channel(n)],
    ['is', 'resolved', true],
  ]),
  kind('is:resolved + is:muted', () => [
    ['is', 'resolved'],
    ['is', 'muted'],
  ]),
  kind('is:starred + has:image', () => [
    ['is', 'starred'],
    ['has', 'image'],
  ]),
  kind('is:dm + has:image', () => [
    ['is', 'dm'],
    ['has', 'image'],
  ]),
  kind('is:dm + sender, who never wrote', () => [
    ['is', 'dm'],
    ['sender', BOT],
  ]),
  kind('is:unread - all that is', () => [
    ['is', 'unread'],
    ['channels', 'public', true],
    ['is', 'dm', true],
  ]),
  kind('-is:unread, 50,000', () => [['is', 'unread', true]], RETURNED),
  kind('has:link + has:image', () => [
    ['has', 'link'],
    ['has', 'image'],
  ]),
  kind('has:attachment + has:reaction', () => [
    ['has', 'attachment'],
    ['has', 'reaction'],
  ]),
];
