import { basicAuthorization, type Credentials, jsonReply, requestText } from './api.ts';
import { openPool } from './http.ts';
import type { Address } from './stream.ts';

/** Sends messages of one person, by whatever protocol the server speaks. */
export interface Speaker {
  /** Answered with the id of the message, or with why there is none. */
  readonly say: (content: string, onAnswer: (answer: number | string) => void) => void;
  readonly close: () => void;
}

export interface SendPlan {
  readonly sender: Credentials;
  readonly channel: string;
  readonly contentLength: number;
  /** False where the server does not hand out what it is sent, like the floor. */
  readonly hasContent: boolean;
}

/** Where everything is said. */
export const TOPIC = 'load';

export function httpSpeaker(address: Address, plan: SendPlan, connections: number): Speaker {
  const pool = openPool(address, connections);
  const authorization = basicAuthorization(plan.sender);
  return {
    say: (content, onAnswer) => {
      const params = { type: 'stream', to: plan.channel, topic: TOPIC, content };
      const request = { method: 'POST', path: '/messages', authorization, params } as const;
      pool.send(requestText(address, request), (raw) => {
        const reply = raw && jsonReply(raw);
        const messageId = reply?.body.id;
        const isSent = reply?.status === 200 && typeof messageId === 'number';
        onAnswer(isSent ? messageId : JSON.stringify(reply ?? 'connection closed'));
      });
    },
    close: pool.close,
  };
}
