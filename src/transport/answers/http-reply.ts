export interface HttpReply {
  readonly status: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  /** The bytes are kept by somebody else and never change: nothing of them is held for one reader. */
  readonly isShared?: boolean;
  /** JSON where it is not said. */
  readonly contentType?: string;
  /** Kept by nobody where it is not said. */
  readonly cacheControl?: string;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
}

/** A reply whose body comes by and by. */
export type StreamedReply = Omit<HttpReply, 'body' | 'isHead' | 'closesConnection'>;
