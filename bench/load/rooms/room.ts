import type { Content } from '../contents.ts';
import type { DeliveryLog } from '../delivery-log.ts';
import { createKnownEventsCache } from '../known-events.ts';
import type { Listening } from '../listen.ts';
import type { Speaker } from '../speaker.ts';
import type { Address } from '../stream.ts';
import type { Member, MemberEvents, Protocol, ProtocolName } from './member.ts';
import { socketIoProtocol, wsProtocol } from './web-socket-rooms.ts';
import { xmppProtocol } from './xmpp.ts';

export interface RoomPlan {
  readonly protocol: ProtocolName;
  readonly listenerCount: number;
  readonly content: Content;
}

/** Listeners in a room of another server, and one more member who speaks. */
interface Room extends Listening {
  readonly speaker: Speaker;
}

interface Joining {
  readonly address: Address;
  readonly deliveryLog: DeliveryLog;
  readonly protocol: Protocol;
  readonly fail: (reason: string) => void;
}

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  ws: wsProtocol,
  'socket.io': socketIoProtocol,
  xmpp: xmppProtocol,
};

// A room that is joined by all at once is slow to answer the first of them.
const JOINING_MAX = 50;

export async function joinRoom(
  { address, deliveryLog }: { readonly address: Address; readonly deliveryLog: DeliveryLog },
  { protocol: name, listenerCount }: RoomPlan,
): Promise<Room> {
  const failures: string[] = [];
  let isClosing = false;
  const fail = (reason: string) => {
    if (!isClosing) failures.push(reason);
  };
  const joining: Joining = { address, deliveryLog, protocol: PROTOCOLS[name], fail };
  // The speaker joins first, because the first who comes to an empty room makes it.
  const { speaker, member: speaking } = await joinSpeaker(joining);
  const listening = await joinListeners(joining, listenerCount);
  const close = () => {
    isClosing = true;
    for (const member of [speaking, ...listening]) member.leave();
  };
  return {
    speaker,
    failures,
    // Nothing is resumed here: who is thrown out has failed.
    reconnectCount: () => 0,
    attachedCount: () => listening.length - failures.length,
    close,
    leave: async () => close(),
  };
}

async function joinSpeaker(joining: Joining): Promise<{ speaker: Speaker; member: Member }> {
  const waiting = new Map<number, (messageId: number) => void>();
  let lastLocalId = 0;
  const member = await joinAs(joining, nameOf(0), {
    heard: () => {},
    accepted: (localId, messageId) => {
      const onAnswer = waiting.get(localId);
      waiting.delete(localId);
      if (onAnswer === undefined) joining.fail(`nothing was said as ${localId}`);
      else onAnswer(messageId);
    },
  });
  const say: Speaker['say'] = ({ content }, onAnswer) => {
    const localId = ++lastLocalId;
    waiting.set(localId, onAnswer);
    member.say(localId, content);
  };
  // It stays in the room for the next run.
  return { speaker: { say, close: () => {} }, member };
}

async function joinListeners(joining: Joining, count: number): Promise<readonly Member[]> {
  const { deliveryLog, protocol, fail } = joining;
  const cache = createKnownEventsCache(protocol.parse);
  const members: Member[] = [];
  let joinedCount = 0;
  const joinNext = async () => {
    while (joinedCount < count) {
      joinedCount += 1;
      const name = nameOf(joinedCount);
      const ownText = Buffer.from(protocol.ownText(name));
      const listener = deliveryLog.addListener({ userId: joinedCount, lastEventId: 0 });
      const heard: MemberEvents['heard'] = (place) => {
        const known = cache.read(place, ownText, listener.lastKnown + 1);
        if (known !== undefined) deliveryLog.take(listener, known, performance.now());
        else fail(`no message: ${place.bytes.toString('utf8', place.start, place.end)}`);
      };
      const accepted = () => fail(`${name} said nothing and was answered`);
      members.push(await joinAs(joining, name, { heard, accepted }));
    }
  };
  await Promise.all(Array.from({ length: JOINING_MAX }, joinNext));
  return members;
}

function joinAs(
  { address, protocol, fail }: Joining,
  name: string,
  on: Pick<MemberEvents, 'heard' | 'accepted'>,
): Promise<Member> {
  return new Promise((resolve, reject) => {
    const member = protocol.join(address, name, {
      ...on,
      joined: () => resolve(member),
      failed: (reason) => {
        fail(reason);
        reject(new Error(`${name} cannot join: ${reason}`));
      },
    });
  });
}

/**
 * All of one length, so that messages to two members differ in one place only; of this process
 * alone, since a server may take somebody who comes for who has just gone, and throw out the wrong
 * one.
 */
function nameOf(index: number): string {
  return `member${process.pid}x${String(index).padStart(5, '0')}`;
}
