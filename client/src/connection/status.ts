/** The state of the connection, in words that a user may be shown. */
export type ConnectionState =
  /** The first registration, or the first socket, is under way. */
  | 'connecting'
  /** Events come as they happen. */
  | 'live'
  /** The connection is back, and nothing was missed; `live` follows after two seconds. */
  | 'caught-up'
  /** The queue had ended, so the state was fetched again; `live` follows. */
  | 'started-anew'
  /** The connection broke; the next attempt is at `retryAt`. */
  | 'reconnecting'
  /** The same, and the browser says that it has no network. */
  | 'offline'
  /** The client was closed, or may not connect any more: `error` says why. */
  | 'ended';

export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** UNIX ms of the next attempt. */
  readonly retryAt?: number;
  readonly transport: 'socket' | 'poll';
  /** The refusal that ended the connection. */
  readonly error?: Error;
}

export const isUp = ({ state }: ConnectionStatus) =>
  state === 'live' || state === 'caught-up' || state === 'started-anew';
