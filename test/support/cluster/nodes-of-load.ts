import {
  ask,
  basicAuthorization,
  type Credentials,
  type JsonReply,
} from '../../../bench/load/api.ts';
import { type HttpConnection, openHttp } from '../../../bench/load/http.ts';
import type { Address } from '../../../bench/load/stream.ts';

/** The nodes that a client may ask, and who it is. */
export interface Caller {
  readonly nodes: readonly Address[];
  /** By which name the nodes are asked, which chooses the realm; otherwise by their addresses. */
  readonly host?: Address;
  readonly who: Credentials;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
}

/** A connection to one node at a time, which goes to another one when it is told to. */
export interface Roaming {
  /** Asks the node; undefined if it did not answer, or said that it cannot now. */
  ask(question: Question, timeoutMs: number): Promise<JsonReply | undefined>;
  /** Goes to the next node, after a pause. */
  move(): Promise<void>;
  close(): void;
}

/** Clients come back after a pause of this length, more or less, so that nodes are not flooded. */
const PAUSE_MS = 50;

export function openRoaming({ nodes, host, who }: Caller, first: number): Roaming {
  let at = first % nodes.length;
  let connection: HttpConnection | undefined;
  const close = () => {
    connection?.close();
    connection = undefined;
  };
  const node = () => {
    const address = nodes[at];
    if (address === undefined) throw new RangeError('There are no nodes to ask.');
    return address;
  };
  return {
    async ask(question, timeoutMs) {
      const address = node();
      connection ??= openHttp(address);
      const request = { ...question, authorization: basicAuthorization(who) };
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, undefined);
      });
      const parts = host === undefined ? request : { ...request, host };
      const reply = await Promise.race([ask(connection, address, parts), late]);
      clearTimeout(timer);
      if (reply !== undefined && reply.status < 500 && reply.status !== 429) return reply;
      close();
      return undefined;
    },
    async move() {
      close();
      at = (at + 1) % nodes.length;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (0.5 + Math.random())));
    },
    close,
  };
}
