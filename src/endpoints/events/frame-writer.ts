import type { Consumer } from '../../events/delivery.ts';
import type { ApiRequest } from '../dispatch/request.ts';

/** Writes the frames of a session to its socket, in order. The transport implements it. */
export interface FrameWriter {
  send(frame: Readonly<Record<string, unknown>>): void;
  /**
   * Tests whether the client has to read earlier frames before it gets more: the session is told
   * when it has.
   */
  isFull(): boolean;
  /** Ends the connection: the client does not read what it asks for. */
  tooSlow(): void;
  /** Returns the answer of an endpoint, for a `reply` frame or a part of another one. */
  success(body: object, ignored: readonly string[]): Readonly<Record<string, unknown>>;
  failure(
    error: unknown,
    request: ApiRequest,
  ): { status: number; body: Readonly<Record<string, unknown>> };
  readonly consumer: Consumer;
}
