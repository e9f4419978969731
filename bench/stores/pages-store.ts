import * as reactions from '../../src/operations/messages/reactions.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import { addChannel, SITE, userOf } from './realm.ts';
import { addPeople, contentOf, hashOf, type Script, USERS } from './search-store.ts';

/** In all channels. */
export const OWNER = 1;
/** In 40 channels, with half of what is said in channels. */
export const MEMBER = 2;
/** In 5 of these, with a sixteenth of it. */
export const NEWCOMER = 3;
/** Writes with the member. */
export const FRIEND = 10;
const FRIENDS = 20;

const BUSY_CHANNELS = 40;
const NEWCOMERS_CHANNELS = 5;
/** Each channel has so many. */
const TOPICS = 8;
/** People of a busy channel besides those above. */
const OTHERS = 20;

/**
 * A realm of so many channels, of which 40 get half of the messages. Each of these has pages of
 * messages by itself, as most of its topics have.
 */
export const pagesScript = (texts: readonly IrcMessage[], channels: number): Script => ({
  populate(tx) {
    addPeople(tx);
    for (let channel = 1; channel <= channels; channel++) {
      const isBusy = channel <= BUSY_CHANNELS;
      const others = Array.from({ length: isBusy ? OTHERS : 1 }, (_, n) => memberOf(channel, n));
      const people = [
        OWNER,
        ...(isBusy ? [MEMBER] : []),
        ...(channel <= NEWCOMERS_CHANNELS ? [NEWCOMER] : []),
        ...others,
      ];
      addChannel(tx, { name: `channel ${channel}`, people: [...new Set(people)] });
    }
  },
  sending(index) {
    const { text, round } = said(texts, index);
    const { senderId, to } = addressed(index, channels);
    return (tx) => {
      const caller = { user: userOf(tx, senderId), site: SITE, client: 'bench' };
      const sent = messages.send(tx, caller, {
        destination:
          'userId' in to
            ? { people: [userOf(tx, to.userId)] }
            : { channel: channelOf(tx, to.channelId), topic: to.topic },
        content: contentOf(text, round),
        isReadBySender: true,
        repeatKeys: [],
      });
      if ('userId' in to || pick(`${index} reaction`, 50) !== 0) return;
      const reaction = { messageId: sent.id, name: 'tada', code: undefined, type: undefined };
      reactions.add(tx, { ...caller, user: userOf(tx, OWNER) }, reaction);
    };
  },
});

/** Picks a number below `count`; the text decides, and its first letters as much as its last. */
const pick = (salt: string, count: number) => Math.floor((hashOf(`${salt}.`) / 2 ** 32) * count);

/** People of a channel besides those above, who write what is said there. */
const memberOf = (channelId: number, n: number) => someone(`${channelId} ${n} member`);

const someone = (salt: string) => FRIEND + pick(salt, USERS - FRIEND);

function said(texts: readonly IrcMessage[], index: number) {
  const message = texts[index % texts.length];
  if (message === undefined) throw new Error('there are no messages');
  return { text: message.text, round: Math.floor(index / texts.length) };
}

interface Addressed {
  readonly senderId: number;
  readonly to: { readonly userId: number } | { readonly channelId: number; readonly topic: string };
}

/** A message of ten is direct, and a quarter of these to the member. */
function addressed(index: number, channels: number): Addressed {
  const kind = pick(`${index} kind`, 80);
  if (kind < 2)
    return { senderId: FRIEND + pick(`${index} friend`, FRIENDS), to: { userId: MEMBER } };
  if (kind < 8)
    return { senderId: someone(`${index} sender`), to: { userId: someone(`${index} other`) } };
  const isBusy = kind % 2 === 0 || channels <= BUSY_CHANNELS;
  const channelId = isBusy
    ? 1 + pick(`${index} channel`, BUSY_CHANNELS)
    : 1 + BUSY_CHANNELS + pick(`${index} channel`, channels - BUSY_CHANNELS);
  // Some say much more than others.
  const n = Math.min(pick(`${index} sender`, OTHERS), pick(`${index} again`, OTHERS));
  const senderId = memberOf(channelId, isBusy ? n : 0);
  return { senderId, to: { channelId, topic: `topic ${pick(`${index} topic`, TOPICS)}` } };
}

function channelOf(tx: RealmTransaction, id: number) {
  const channel = tx.channels.get([id]);
  if (channel === undefined) throw new Error(`there is no channel ${id}`);
  return channel;
}
