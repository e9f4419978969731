export interface HttpReply {
  readonly status: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  /**
   * The bytes are cached elsewhere and never change, so they do not count as held for this reader.
   */
  readonly isShared?: boolean;
  /** The body is sent as it is: its coding was chosen already, or it holds a secret. */
  readonly isFinal?: boolean;
  /** The default is JSON. */
  readonly contentType?: string;
  /** The default forbids caching. */
  readonly cacheControl?: string;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
}

/** A reply whose body is streamed. */
export type StreamedReply = Omit<HttpReply, 'body' | 'isHead' | 'closesConnection'>;
