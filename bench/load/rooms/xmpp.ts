import type { SeenEvent } from '../known-events.ts';
import { type Address, openStream, wholeUnits } from '../stream.ts';
import { type Member, type MemberEvents, type Protocol, ROOM_MESSAGE } from './member.ts';

// XMPP over TCP (RFC 6120, XEP-0045), as much of it as a member of a room needs. A message carries
// the number its sender gave it as its `id`, which the room hands on; the sender hears it as well,
// and knows by that that it was taken.

export const XMPP_HOST = 'localhost';
const RESOURCE = 'bench';
const ROOM = `room@conference.${XMPP_HOST}`;

export const xmppProtocol: Protocol = {
  join: joinRoom,
  ownText: (name) => `${name}@${XMPP_HOST}/${RESOURCE}`,
  parse,
};

function parse(bytes: Buffer): readonly SeenEvent[] | undefined {
  const text = bytes.toString();
  const id = Number(/^<message [^>]*\bid='(\d+)'/.exec(text)?.[1]);
  const content = /<body>([^<]*)<\/body>/.exec(text)?.[1];
  // A room tells its subject first; nobody said it.
  if (content === undefined) return text.includes('<subject') ? [] : undefined;
  return [{ id, isMentioned: false, message: { id, ...ROOM_MESSAGE, content } }];
}

const STANZA_END = Buffer.from('</message>');
const STANZA_START = Buffer.from('<message ');

function joinRoom(address: Address, name: string, on: MemberEvents): Member {
  const unheard = new Set<number>();
  const dialogue = joining(name);
  let step = 0;
  let heard = '';

  /** Until the room is joined, what the server says is answered step by step. */
  const converse = (bytes: Buffer, start: number, end: number): number => {
    heard += bytes.toString('latin1', start, end);
    for (;;) {
      const current = dialogue[step];
      if (current === undefined) return end;
      if (/<(failure|stream:error)|type='error'/.test(heard)) {
        on.failed(`the server refused: ${heard}`);
        return end;
      }
      const match = current.until.exec(heard);
      if (match === null) return end;
      heard = heard.slice(match.index + match[0].length);
      step += 1;
      if (step === dialogue.length) {
        on.joined();
        return end - heard.length;
      }
      socket.write(current.answer);
    }
  };
  const listen = (bytes: Buffer, start: number, end: number): number => {
    for (let at = start; ; ) {
      const found = bytes.indexOf(STANZA_END, at);
      const next = found + STANZA_END.length;
      if (found === -1 || next > end) return at;
      take(bytes, at, next);
      at = next;
    }
  };
  const take = (bytes: Buffer, start: number, end: number): void => {
    const head = start + STANZA_START.length;
    if (bytes.compare(STANZA_START, 0, STANZA_START.length, start, head) !== 0) {
      on.failed(`no message: ${bytes.toString('utf8', start, end)}`);
      return;
    }
    on.heard({ bytes, start, end });
    if (unheard.size === 0) return;
    const [own] = parse(bytes.subarray(start, end)) ?? [];
    if (own !== undefined && unheard.delete(own.id)) on.accepted(own.id, own.id);
  };

  const socket = openStream(address, {
    connected: () => socket.write(STREAM),
    bytes: wholeUnits((bytes, start, end) => {
      if (step === dialogue.length) return listen(bytes, start, end);
      const at = converse(bytes, start, end);
      return step === dialogue.length ? listen(bytes, at, end) : at;
    }),
    closed: (reason) => on.failed(`stream closed: ${reason}`),
  });
  return {
    say: (localId, content) => {
      unheard.add(localId);
      socket.write(
        `<message to='${ROOM}' type='groupchat' id='${localId}'><body>${content}</body></message>`,
      );
    },
    leave: () => socket.destroy(),
  };
}

const STREAM =
  `<stream:stream to='${XMPP_HOST}' xmlns='jabber:client' ` +
  `xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>`;

interface Step {
  readonly until: RegExp;
  readonly answer: string;
}

/** Each step waits for something and answers it; after the last one the room is joined. */
function joining(name: string): readonly Step[] {
  const secret = Buffer.from(`\0${name}\0secret`).toString('base64');
  const sasl = 'urn:ietf:params:xml:ns:xmpp-sasl';
  const bind = 'urn:ietf:params:xml:ns:xmpp-bind';
  const muc = 'http://jabber.org/protocol/muc';
  return [
    {
      until: /<\/stream:features>/,
      answer: `<auth xmlns='${sasl}' mechanism='PLAIN'>${secret}</auth>`,
    },
    { until: /<success[^>]*>/, answer: STREAM },
    {
      until: /<\/stream:features>/,
      answer: `<iq type='set' id='b'><bind xmlns='${bind}'><resource>${RESOURCE}</resource></bind></iq>`,
    },
    {
      until: /<\/iq>/,
      answer:
        `<presence to='${ROOM}/${name}'><x xmlns='${muc}'>` +
        `<history maxstanzas='0'/></x></presence>`,
    },
    // Code 110: this presence is the member's own, and the last of those that tell who is there.
    { until: /<presence[^>]*>(?:(?!<\/presence>).)*code='110'.*?<\/presence>/s, answer: '' },
  ];
}
