import { FlagBit } from '../../src/domain/wire/flags.ts';
import * as alertWords from '../../src/operations/indexes/alert-words.ts';
import { setFlags } from '../../src/operations/indexes/message-flags.ts';
import * as userTopics from '../../src/operations/indexes/user-topics.ts';
import * as reactions from '../../src/operations/messages/reactions.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import { markAllStep } from '../../src/operations/reading/mark-as-read.ts';
import type { ChannelRow } from '../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import { addChannel, SITE, userOf } from './realm.ts';
import { addPeople, contentOf, hashOf, type Script, USERS } from './search-store.ts';

export const OWNER = 1;
/** In 40 of the channels, has read all but the newest, writes with 300 others. */
export const MEMBER = 2;
/** In the same channels, with few marks of their own. */
export const NEWCOMER = 3;
/** In all channels, and has not read for long. */
export const RETURNED = 4;
/** Wrote one message, long ago. */
export const SILENT = 5;
/** Writes what a machine reports. */
export const BOT = 6;

const CHANNELS = 200;
const MEMBERS_CHANNELS = 40;
/** The bot writes in this channel. */
export const REPORTS = 1;
/**
 * Private, the first two of the member's; the first of them with a history that newcomers do not
 * see.
 */
export const PRIVATE = [9, 14];
export const isMembersChannel = (channel: number) =>
  channel === REPORTS || channel % (CHANNELS / MEMBERS_CHANNELS) === 4;
const WEB_PUBLIC = 19;
/** Messages that link a file: no others do. */
const ATTACHMENTS = 3;
const STARS = 500;
const FEW_STARS = 5;

/** How much of a store somebody has not read, of its end. */
const UNREAD_OF_MEMBER = 0.02;
const UNREAD_OF_RETURNED = 0.057;

/**
 * A realm as people make them: real messages in channels of very different sizes and many topics,
 * to one another, with mentions, links, pictures, reactions, words that are waited for, and a
 * machine that reports.
 */
export const history = (texts: readonly IrcMessage[], total: number): Script => ({
  populate,
  sending(index) {
    const said = saidAt(texts, index);
    return (tx) => {
      send(tx, said, { index, total });
      for (const [userId, part] of [
        [MEMBER, UNREAD_OF_MEMBER],
        [NEWCOMER, UNREAD_OF_MEMBER],
        [RETURNED, UNREAD_OF_RETURNED],
      ] as const) {
        if (index === Math.floor(total * (1 - part))) markAllStep(tx, userOf(tx, userId));
      }
      if (index === total - 1) decide(tx, total);
    };
  },
});

interface Said {
  readonly text: string;
  readonly nick: string;
  readonly date: string;
  readonly hour: string;
  readonly round: number;
}

function saidAt(texts: readonly IrcMessage[], index: number): Said {
  const message = texts[index % texts.length];
  if (message === undefined) throw new Error('there are no messages');
  const round = Math.floor(index / texts.length);
  const { text, nick, date, time } = message;
  return { text: contentOf(text, round), nick, date, hour: time.slice(0, 2), round };
}

const channelOf = (tx: RealmTransaction, id: number): ChannelRow => {
  const channel = tx.channels.get([id]);
  if (channel === undefined) throw new Error(`there is no channel ${id}`);
  return channel;
};

/** Picks one of the people who write and who have no special part above. */
const someone = (hash: number) => BOT + 1 + (hash % (USERS - BOT));

function send(tx: RealmTransaction, said: Said, at: { index: number; total: number }) {
  const { senderId, destination } = whereTo(said, at);
  const user = userOf(tx, senderId);
  const isReport = senderId === BOT;
  const sent = messages.send(
    tx,
    { user, site: SITE, client: 'bench' },
    {
      destination:
        'people' in destination
          ? { people: destination.people.map((id) => userOf(tx, id)) }
          : { channel: channelOf(tx, destination.channel), topic: destination.topic },
      content: isReport
        ? `${said.text} https://builds.example.com/${at.index}`
        : contentAt(said, at),
      isReadBySender: true,
      repeatKeys: [],
    },
  );
  const dice = hashOf(`react ${at.index}`) % 50;
  if (dice === 0 && !('people' in destination)) {
    reactions.add(
      tx,
      { user: userOf(tx, OWNER), site: SITE, client: 'bench' },
      { messageId: sent.id, name: 'tada', code: undefined, type: undefined },
    );
  }
}

type Destination =
  | { readonly people: readonly number[] }
  | { readonly channel: number; readonly topic: string };

function whereTo(
  { nick, date, hour, round }: Said,
  { index, total }: { index: number; total: number },
): { senderId: number; destination: Destination } {
  const dice = hashOf(`kind ${index}`) % 100;
  const author = someone(hashOf(nick));
  if (index === Math.floor(total / 1000)) {
    return { senderId: SILENT, destination: { channel: 4, topic: 'once' } };
  }
  if (dice < 5 && !callsAll(index)) {
    // Five people said something among what the bot said, in topics of their own.
    const isReport = index % Math.floor(total / 100) !== 1;
    return isReport
      ? { senderId: BOT, destination: { channel: REPORTS, topic: 'nightly' } }
      : { senderId: author, destination: { channel: REPORTS, topic: `about ${index}` } };
  }
  if (dice < 13 && !callsAll(index))
    return { senderId: author, destination: direct(author, index) };
  const hash = hashOf(`${date} ${hour}`);
  const channel = 2 + Math.floor((CHANNELS - 1) * (hash / 2 ** 32) ** 3);
  const isResolved = hash % 5 === 0;
  const topic = `${isResolved ? '✔ ' : ''}${date} ${hour} ${round}`;
  // Only owners may write there, or call everyone of a large channel.
  const isOwners = callsAll(index) || (PRIVATE.includes(channel) && hash % 2 === 0);
  if (isOwners) return { senderId: OWNER, destination: { channel, topic } };
  // The member speaks as well, in their own channels.
  const isMembers = isMembersChannel(channel) && hashOf(`member ${index}`) % 100 === 0;
  const other = PRIVATE.includes(channel) ? RETURNED : author;
  return { senderId: isMembers ? MEMBER : other, destination: { channel, topic } };
}

const callsAll = (index: number) => hashOf(`content ${index}`) % 5000 === 1;

/** A quarter of what is written directly is to the member, some of it to three. */
function direct(author: number, index: number): Destination {
  const hash = hashOf(`direct ${index}`);
  if (hash % 8 === 0) return { people: [RETURNED] };
  if (hash % 4 !== 1) return { people: [someone(author * 7 + (hash % 3))] };
  if (author % 16 === 0) return { people: [MEMBER, someone((author + 16) * 5)] };
  return { people: [MEMBER] };
}

function contentAt(
  { text, nick }: Said,
  { index, total }: { index: number; total: number },
): string {
  const hash = hashOf(`content ${index}`);
  const third = Math.floor(total / ATTACHMENTS);
  if (index % third === Math.floor(third / 10)) {
    return `${text} [plan.pdf](/user_uploads/1/ab/${index}/plan.pdf)`;
  }
  if (hash % 2000 === 0) return `${text} https://example.com/${index}.png`;
  if (callsAll(index)) return `@**all** ${text}`;
  if (hash % 250 === 2) return `@**User ${1 + (index % 2) * 2}** ${text}`;
  const [prefix, addressed = ''] = /^(\S+)[:,](?=\s)/.exec(text) ?? [];
  if (prefix === undefined || addressed === nick) return text;
  return `@**User ${someone(hashOf(addressed)) - 1}**${text.slice(prefix.length)}`;
}

function populate(tx: RealmTransaction) {
  addPeople(tx);
  const [first, second] = PRIVATE;
  for (let channel = 1; channel <= CHANNELS; channel++) {
    const members = isMembersChannel(channel) ? [MEMBER, NEWCOMER] : [];
    const others = Array.from({ length: 20 }, (_, index) => someone(hashOf(`${channel} ${index}`)));
    addChannel(tx, {
      name: `channel ${channel}`,
      people: [...new Set([OWNER, RETURNED, ...members, ...others])],
      isPrivate: channel === first || channel === second,
      hasSharedHistory: channel !== first,
    });
  }
  tx.channels.put([WEB_PUBLIC], { ...channelOf(tx, WEB_PUBLIC), isWebPublic: true });
  alertWords.add(tx, MEMBER, ['nvidia', 'firewall']);
  alertWords.add(tx, NEWCOMER, ['zeppelin']);
}

/** Writes the stars, followed topics and mutes of somebody, once all is said. */
function decide(tx: RealmTransaction, total: number) {
  for (const [userId, count] of [
    [MEMBER, STARS],
    [NEWCOMER, FEW_STARS],
  ] as const) {
    for (let star = 0; star < count; star++) {
      const id = nextReadable(tx, Math.floor((total * (star + 0.5)) / (count + 1)));
      const bits = tx.messageFlags.get([userId, id])?.bits ?? 0;
      setFlags(tx, userId, id, bits | FlagBit.starred);
    }
  }
  for (const [channelId] of tx.channels.keys({})) {
    if (!isMembersChannel(channelId)) continue;
    const topics = [...tx.topics.under([channelId], { limit: 4 })];
    for (const [index, [, { name: topic }]] of topics.entries()) {
      const policy = ([3, 1, 3, 2] as const)[index] ?? 0;
      userTopics.decide(tx, MEMBER, { channelId, topic, policy });
      if (index === 0 && channelId === 4) {
        userTopics.decide(tx, NEWCOMER, { channelId, topic, policy: 3 });
      }
    }
    // The member has muted two, the newcomer nearly all.
    for (const userId of channelId < 10 ? [MEMBER, NEWCOMER] : channelId < 190 ? [NEWCOMER] : []) {
      const row = tx.subscriptions.get([channelId, userId]);
      if (row !== undefined) tx.subscriptions.put([channelId, userId], { ...row, isMuted: true });
    }
  }
}

/** The next message of one of the member's channels. */
function nextReadable(tx: RealmTransaction, from: number): number {
  for (const [[id], { channelId }] of tx.messages.range({ start: [from] })) {
    if (channelId !== null && isMembersChannel(channelId)) return id;
  }
  throw new Error(`the member is in no channel after message ${from}`);
}
