import type { Consumer } from '../../events/delivery.ts';
import type { Call } from '../dispatch.ts';

/** What the transport does for a session. */
export interface SocketLine {
  send(frame: Readonly<Record<string, unknown>>): void;
  /** Whether the client has to read what it was sent before it is sent more: the session hears when it has. */
  isFull(): boolean;
  /** Ends the connection: the client does not read what it asks for. */
  tooSlow(): void;
  /** The answer of an endpoint, as a `reply` frame or part of another. */
  success(body: object, ignored: readonly string[]): Readonly<Record<string, unknown>>;
  failure(error: unknown, call: Call): { status: number; body: Readonly<Record<string, unknown>> };
  readonly consumer: Consumer;
}
