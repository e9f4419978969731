import {
  basicAuthorization,
  type Credentials,
  type JsonReply,
  jsonReply,
  requestText,
} from './api.ts';
import type { Said } from './contents.ts';
import { openPool } from './http.ts';
import type { Address } from './stream.ts';
import { openWebSocket } from './web-socket.ts';

/** Sends messages of one person, by whatever protocol the server speaks. */
export interface Speaker {
  /** Answered with the id of the message, or with why there is none. */
  readonly say: (said: Saying, onAnswer: OnAnswer) => void;
  readonly close: () => void;
}

type OnAnswer = (answer: number | string) => void;

type Saying = Pick<Said, 'content' | 'channel'>;

/** A sender, and the channel for messages that name none. */
export interface Voice {
  readonly sender: Credentials;
  readonly channel: string;
}

/** The topic of all messages. */
export const TOPIC = 'load';

/** A request each, on connections that are kept. */
export function httpSpeaker(address: Address, voice: Voice, connections: number): Speaker {
  const pool = openPool(address, connections);
  const authorization = basicAuthorization(voice.sender);
  return {
    say: (said, onAnswer) => {
      const params = paramsOf(voice, said);
      const request = { method: 'POST', path: '/messages', authorization, params } as const;
      pool.send(requestText(address, request), (raw) => onAnswer(answerIn(raw && jsonReply(raw))));
    },
    close: pool.close,
  };
}

/** All on one socket that serves no queue: the `request` frames of the interface. */
export function socketSpeaker(address: Address, voice: Voice): Promise<Speaker> {
  const waiting = new Map<number, OnAnswer>();
  let count = 0;
  return new Promise((resolve, reject) => {
    const client = openWebSocket(
      {
        address,
        path: '/api/v1/events/socket',
        authorization: basicAuthorization(voice.sender),
        subprotocol: 'chat.v1.json',
      },
      {
        open: () => resolve({ say, close: client.close }),
        message: (bytes, start, end) => {
          // The server answers a request with a frame of this shape; others have no id.
          const frame = JSON.parse(bytes.toString('utf8', start, end)) as Partial<Answered>;
          if (frame.id === undefined) return;
          const onAnswer = waiting.get(frame.id);
          waiting.delete(frame.id);
          onAnswer?.(answerIn(frame as Answered)); // with an id it has the rest
        },
        closed: (_code, reason) => {
          reject(new Error(`the socket for requests: ${reason}`));
          for (const onAnswer of waiting.values()) onAnswer(answerIn(undefined));
          waiting.clear();
        },
      },
    );
    const say: Speaker['say'] = (said, onAnswer) => {
      count += 1;
      waiting.set(count, onAnswer);
      const params = paramsOf(voice, said);
      const request = { type: 'request', id: count, method: 'POST', path: '/messages', params };
      client.send(JSON.stringify(request));
    };
  });
}

interface Answered extends JsonReply {
  readonly id: number;
}

const paramsOf = (voice: Voice, { content, channel = voice.channel }: Saying) => ({
  type: 'stream',
  to: channel,
  topic: TOPIC,
  content,
});

function answerIn(reply: JsonReply | undefined): number | string {
  const messageId = reply?.body.id;
  const isSent = reply?.status === 200 && typeof messageId === 'number';
  return isSent ? messageId : JSON.stringify(reply ?? 'connection closed');
}
