// biome-ignore-all lint/performance/noBarrelFile: it is the entry of the package.
export type {
  CallName,
  ErrorCode,
  EventKind,
  EventOf,
  EventType,
  Method,
  ParamsOf,
  PathOf,
  ReplyOf,
  Snapshot,
} from './calls.ts';
export {
  Chat,
  type ChatEvents,
  type ChatStatus,
  type ConnectOptions,
  connect,
  type Position,
} from './chat.ts';
export type { ChatEvent, Codec, SocketClass } from './connection/frames.ts';
export type { Credentials, Params } from './connection/http.ts';
export type { ConnectionState } from './connection/status.ts';
export { ApiError, EndedError, type Fields, FullError, NetworkError } from './errors.ts';
export type * as api from './generated/api.ts';
export { type BrowserStorage, indexedDbOutbox } from './outbox/indexed-db.ts';
export type { OutboxEntry } from './outbox/outbox.ts';
export {
  type Message,
  memoryOutbox,
  type OutboxChange,
  type OutboxRecord,
  type OutboxStorage,
} from './outbox/storage.ts';
export type { CallOptions } from './requests.ts';
