import { randomBytes } from 'node:crypto';

/** The trace that a request belongs to (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** True if the caller records the trace. */
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent` header. Returns null for none, and for one that is malformed. */
export function traceIn(header: string): TraceContext | null {
  if (header.length > TRACEPARENT_LENGTH_MAX) return null;
  const [, version, traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? [];
  // A later version may add fields, and `ff` is none.
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) {
    return null;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return null;
  return { traceId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A header of a later version is not read if it is longer. */
const TRACEPARENT_LENGTH_MAX = 200;

/** Returns the `traceparent` of a request that this server sends as a part of the trace. */
export function traceparentOf({ traceId, isSampled }: TraceContext): string {
  return `00-${traceId}-${randomBytes(8).toString('hex')}-${isSampled ? '01' : '00'}`;
}
