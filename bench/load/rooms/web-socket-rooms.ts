import type { SeenEvent } from '../known-events.ts';
import { openWebSocket } from '../web-socket.ts';
import { type MemberEvents, type Protocol, ROOM_MESSAGE } from './member.ts';

/** `servers/ws-room.ts` sends this to everyone else when something is said. */
interface RoomMessage {
  readonly id: number;
  readonly sender: string;
  readonly content: string;
  readonly time: number;
}

/** JSON over a WebSocket, as anybody would write it first: `servers/ws-room.ts`. */
export const wsProtocol: Protocol = {
  join: (address, _name, on) => {
    const client = openWebSocket(
      { address, path: '/' },
      {
        open: () => {},
        message: (bytes, start, end) => {
          if (bytes.compare(MESSAGE, 0, MESSAGE.length, start, start + MESSAGE.length) === 0) {
            return on.heard({ bytes, start, end });
          }
          takeOther(JSON.parse(bytes.toString('utf8', start, end)) as OtherFrame, on);
        },
        closed: (code, reason) => on.failed(`socket closed with ${code} ${reason}`),
      },
    );
    return {
      say: (local_id, content) => client.send(JSON.stringify({ type: 'say', local_id, content })),
      leave: client.close,
    };
  },
  ownText: () => '',
  // A frame that begins like a message of the room is one.
  parse: (bytes) => seen((JSON.parse(bytes.toString()) as { message: RoomMessage }).message),
};

const MESSAGE = Buffer.from('{"type":"message"');

type OtherFrame =
  | { readonly type: 'welcome' }
  | { readonly type: 'said'; readonly local_id: number; readonly id: number };

function takeOther(frame: OtherFrame, on: MemberEvents): void {
  if (frame.type === 'welcome') on.joined();
  else if (frame.type === 'said') on.accepted(frame.local_id, frame.id);
  else on.failed(`an unknown frame: ${JSON.stringify(frame)}`);
}

/**
 * Socket.IO over its WebSocket transport: a digit of engine.io, one of socket.io, and JSON behind
 * them. Its own client takes some 30 µs for each message and would be the limit.
 */
export const socketIoProtocol: Protocol = {
  join: (address, _name, on) => {
    const client = openWebSocket(
      { address, path: '/socket.io/?EIO=4&transport=websocket' },
      {
        open: () => {},
        message: (bytes, start, end) => {
          if (bytes.compare(EVENT, 0, EVENT.length, start, start + EVENT.length) === 0) {
            return on.heard({ bytes, start, end });
          }
          const text = bytes.toString('utf8', start, end);
          if (text.startsWith('0')) client.send('40');
          else if (text === '2') client.send('3');
          else if (text.startsWith('40')) on.joined();
          else if (text.startsWith('43')) takeAnswer(text, on);
          else on.failed(`an unknown packet: ${text}`);
        },
        closed: (code, reason) => on.failed(`socket closed with ${code} ${reason}`),
      },
    );
    return {
      say: (localId, content) => client.send(`42${localId}${JSON.stringify(['say', content])}`),
      leave: client.close,
    };
  },
  ownText: () => '',
  parse: (bytes) => {
    const [, message] = JSON.parse(bytes.toString('utf8', EVENT_HEAD)) as [string, RoomMessage];
    return seen(message);
  },
};

const EVENT = Buffer.from('42["message"');
const EVENT_HEAD = '42'.length;

/** `43`, the number of the request, and the list of what it is answered with. */
function takeAnswer(text: string, on: MemberEvents): void {
  const [, localId, answer = ''] = /^43(\d+)(.*)$/s.exec(text) ?? [];
  const [id] = JSON.parse(answer) as readonly unknown[];
  if (typeof id === 'number') on.accepted(Number(localId), id);
  else on.failed(`an answer without an id: ${text}`);
}

function seen({ id, content }: RoomMessage): readonly SeenEvent[] {
  return [{ id, isMentioned: false, message: { id, ...ROOM_MESSAGE, content } }];
}
