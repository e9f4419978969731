import type { Event } from '../generated/api.ts';

/** An event of the queue, as the server gives it. Ids rise and are not consecutive. */
export type ChatEvent = Event;

/** The part of a WebSocket that the client uses: that of browsers, of Node 22, and of `ws` fit. */
export interface SocketLike {
  binaryType: string;
  /** 1 while it is open. */
  readonly readyState: number;
  // biome-ignore lint/suspicious/noExplicitAny: each implementation has an event type of its own.
  onopen: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onmessage: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onclose: ((event: any) => void) | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  onerror: ((event: any) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection without a word; browsers do not have it. */
  terminate?(): void;
}

export type SocketClass = new (url: string, protocols: string[]) => SocketLike;

/** Encodes frames as msgpack, such as a `Packr` of msgpackr with `useRecords: false`. */
export interface Codec {
  encode(value: unknown): Uint8Array<ArrayBuffer>;
  decode(bytes: Uint8Array<ArrayBuffer>): unknown;
}

export type ServerFrame =
  | { readonly type: 'hello'; readonly resumed: boolean; readonly reason?: string }
  | { readonly type: 'events'; readonly events: readonly ChatEvent[] }
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly status: number;
      readonly body: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'pong' }
  | { readonly type: 'error'; readonly code?: string; readonly msg?: string };

/** Codes with which the server closes a socket. */
export const Close = {
  stopping: 1001,
  notAuthenticated: 4001,
  queueUnknown: 4002,
  replaced: 4003,
} as const;
