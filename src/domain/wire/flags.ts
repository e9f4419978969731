/** Personal message flags (reference/events-and-register.md 3.2), as bits of one number. */
export const FlagBit = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  stream_wildcard_mentioned: 16,
  topic_wildcard_mentioned: 32,
  has_alert_word: 64,
  historical: 128,
  /** Not a flag of the wire: the message is at or below `readThrough` and still unread. */
  unread: 256,
  /**
   * Not a flag of the wire: a bot that is not subscribed received the message because it is
   * mentioned, and has it as read.
   */
  delivered: 512,
} as const;

export const EDITABLE_FLAGS = ['read', 'starred', 'collapsed'] as const;
export type EditableFlag = (typeof EDITABLE_FLAGS)[number];

/** Flags that `flagged_messages` stores, because some request lists their messages. */
export const INDEXED_FLAG_BITS = [
  FlagBit.starred,
  FlagBit.mentioned,
  FlagBit.topic_wildcard_mentioned,
  FlagBit.has_alert_word,
  FlagBit.unread,
  FlagBit.delivered,
] as const;
export type IndexedFlagBit = (typeof INDEXED_FLAG_BITS)[number];

const WIRE_ORDER = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
] as const;

export const FLAG_NAMES = [...WIRE_ORDER, 'wildcard_mentioned'] as const;
export type FlagName = (typeof FLAG_NAMES)[number];

/** Wire names in the order of the reference; the legacy `wildcard_mentioned` comes last. */
export function flagNames(bits: number): readonly FlagName[] {
  let names = namesByBits[bits & KNOWN_BITS];
  names ??= namesByBits[bits & KNOWN_BITS] = namesOf(bits);
  return names;
}

/** Returns the same as JSON. */
export function flagNamesJson(bits: number): string {
  let json = jsonByBits[bits & KNOWN_BITS];
  json ??= jsonByBits[bits & KNOWN_BITS] = JSON.stringify(namesOf(bits));
  return json;
}

/** The results are cached: a list of messages has the same few again and again. */
const namesByBits: (readonly FlagName[] | undefined)[] = [];
const jsonByBits: (string | undefined)[] = [];
const KNOWN_BITS = Object.values(FlagBit).reduce((all, bit) => all | bit, 0);

function namesOf(bits: number): readonly FlagName[] {
  const names: FlagName[] = WIRE_ORDER.filter((name) => (bits & FlagBit[name]) !== 0);
  if (bits & (FlagBit.stream_wildcard_mentioned | FlagBit.topic_wildcard_mentioned)) {
    names.push('wildcard_mentioned');
  }
  return names;
}
