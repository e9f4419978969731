import { unpack } from 'msgpackr';

/** An event as the checks need it; `message` is undefined for heartbeats and the like. */
export interface SeenEvent {
  readonly id: number;
  readonly message: SeenMessage | undefined;
  readonly isMentioned: boolean;
}

export interface SeenMessage {
  readonly id: number;
  readonly senderId: number;
  /** Its name, where that is told. */
  readonly channel?: string | undefined;
  readonly topic: string;
  readonly content: string;
  readonly isHtml: boolean;
}

/** A frame or a body that was parsed, to be recognised when another listener gets its bytes. */
export interface KnownEvents {
  readonly number: number;
  readonly bytes: Buffer;
  /** The place of the listener's queue id, in which otherwise equal bodies differ. */
  readonly holeStart: number;
  readonly holeEnd: number;
  readonly events: readonly SeenEvent[];
}

export interface Place {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** JSON, unless it is said. */
  readonly isMsgpack?: boolean;
}

export interface KnownEventsCache {
  /** `expected` is the number of the frame that this listener had last, plus one: tried first. */
  readonly read: (place: Place, queueId: Buffer, expected: number) => KnownEvents | undefined;
}

/** Reads the events of a frame or body; undefined when it is no list of events. */
export type ParseEvents = (bytes: Buffer, isMsgpack: boolean) => readonly SeenEvent[] | undefined;

// Listeners are at most a few frames apart; what is older is parsed again, which is only slower.
// Each form that some of them want has frames of its own.
const KNOWN_MAX = 256;

/**
 * Parses each distinct frame once. A thousand listeners get the same bytes, and a comparison of
 * memory costs a hundredth of `JSON.parse`, so that every listener is checked and the generator
 * is still not the limit. What is not a list of events is answered with undefined.
 */
export function createKnownEventsCache(parse: ParseEvents = parseEvents): KnownEventsCache {
  const known: KnownEvents[] = [];
  let count = 0;

  const recognise = (place: Place, queueId: Buffer, expected: number): KnownEvents | undefined => {
    const likely = known[expected % KNOWN_MAX];
    if (likely !== undefined && isSame(likely, place, queueId)) return likely;
    const oldest = Math.max(0, count - KNOWN_MAX);
    for (let number = count - 1; number >= oldest; number--) {
      const candidate = known[number % KNOWN_MAX];
      if (candidate !== undefined && isSame(candidate, place, queueId)) return candidate;
    }
    return undefined;
  };

  return {
    read: (place, queueId, expected) => {
      const recognised = recognise(place, queueId, expected);
      if (recognised !== undefined) return recognised;
      const bytes = Buffer.from(place.bytes.subarray(place.start, place.end));
      const events = parse(bytes, place.isMsgpack ?? false);
      if (events === undefined) return undefined;
      const hole = queueId.length > 0 ? bytes.indexOf(queueId) : -1;
      const holeStart = hole === -1 ? bytes.length : hole;
      const holeEnd = hole === -1 ? bytes.length : hole + queueId.length;
      const parsed: KnownEvents = { number: count, bytes, holeStart, holeEnd, events };
      known[count % KNOWN_MAX] = parsed;
      count += 1;
      return parsed;
    },
  };
}

function isSame(known: KnownEvents, { bytes, start, end }: Place, queueId: Buffer): boolean {
  const { holeStart, holeEnd } = known;
  const length = known.bytes.length;
  if (end - start !== length) return false;
  if (known.bytes.compare(bytes, start, start + holeStart, 0, holeStart) !== 0) return false;
  if (holeStart === holeEnd) return true;
  if (queueId.compare(bytes, start + holeStart, start + holeEnd) !== 0) return false;
  return known.bytes.compare(bytes, start + holeEnd, end, holeEnd, length) === 0;
}

interface WireEvent {
  readonly id: number;
  readonly type: string;
  readonly flags?: readonly string[];
  readonly message?: {
    readonly id: number;
    readonly sender_id?: number;
    readonly display_recipient?: string;
    readonly subject?: string;
    readonly content: string;
    readonly content_type?: string;
  };
}

function parseEvents(bytes: Buffer, isMsgpack: boolean): readonly SeenEvent[] | undefined {
  // A server under test sends the documented shape; anything else fails the checks.
  const body = (isMsgpack ? unpack(bytes) : JSON.parse(bytes.toString())) as {
    events?: readonly WireEvent[];
  };
  return body.events?.map(({ id, message, flags }) => ({
    id,
    isMentioned: flags?.includes('mentioned') ?? false,
    message: message && {
      id: message.id,
      senderId: message.sender_id ?? 0,
      channel: message.display_recipient,
      topic: message.subject ?? '',
      content: message.content,
      isHtml: message.content_type === 'text/html',
    },
  }));
}
