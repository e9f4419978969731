/**
 * The address of what is shown: hashes of the form that links in messages, mails and other clients
 * have, such as `#narrow/channel/1-general/topic/hello/near/5`. This file is pure: it has neither
 * the address bar nor names of its own.
 */

export const OPERATORS = [
  'channel',
  'channels',
  'topic',
  'dm',
  'dm-including',
  'sender',
  'is',
  'has',
  'in',
  'id',
  'with',
  'search',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** A term of a narrow, as `GET /messages` takes it. */
export interface Term {
  readonly operator: Operator;
  /** Ids of channels and people where they are known, else what was written. */
  readonly operand: string | number | readonly number[];
  readonly negated: boolean;
}

/** Selects messages; an empty one selects all. */
export type Narrow = readonly Term[];

/** A view without parameters; its name is its address. */
const PLAIN = [
  'inbox',
  'recent',
  'drafts',
  'settings',
  'channels',
  'organization',
  'welcome',
] as const;
export type PlainView = (typeof PLAIN)[number];

export type Route =
  /** `part` names one of several pages that a view has. */
  | { readonly view: PlainView; readonly part?: string }
  /** All topics of a channel. */
  | { readonly view: 'topics'; readonly channelId: number }
  /** `near` is the message that is shown first; null stands for the first unread one. */
  | { readonly view: 'narrow'; readonly narrow: Narrow; readonly near: number | null };

/** One conversation, or a channel as a whole. */
export type Place =
  | { readonly kind: 'channel'; readonly channelId: number }
  | { readonly kind: 'topic'; readonly channelId: number; readonly topic: string }
  | { readonly kind: 'dm'; readonly userIds: readonly number[] };

/** The names of things, so that an address can be read by people. */
export interface Names {
  readonly channel: (channelId: number) => string | undefined;
  readonly person: (userId: number) => string | undefined;
}

const NO_NAMES: Names = { channel: () => undefined, person: () => undefined };

/** Longer addresses are of no use: the server takes 1,000 characters of a search. */
const HASH_LENGTH_MAX = 10_000;
const TERMS_MAX = 30;

export const INBOX: Route = { view: 'inbox' };

const term = (operator: Operator, operand: Term['operand'], negated = false): Term => ({
  operator,
  operand,
  negated,
});

export const channelNarrow = (channelId: number): Narrow => [term('channel', channelId)];

export const topicNarrow = (channelId: number, topic: string): Narrow => [
  term('channel', channelId),
  term('topic', topic),
];

/** The narrow of a conversation; the own account is named only where it is alone. */
export const dmNarrow = (userIds: readonly number[]): Narrow => [term('dm', [...userIds].sort(up))];

export const isNarrow = (operand: string): Narrow => [term('is', operand)];

export const searchNarrow = (text: string): Narrow => [term('search', text)];

export const narrowRoute = (narrow: Narrow, near: number | null = null): Route => ({
  view: 'narrow',
  narrow,
  near,
});

export const narrowOf = (place: Place): Narrow => {
  if (place.kind === 'dm') return dmNarrow(place.userIds);
  if (place.kind === 'channel') return channelNarrow(place.channelId);
  return topicNarrow(place.channelId, place.topic);
};

/** Leaves the own account out of conversations with others, as links from elsewhere name it. */
export const withoutSelf = (route: Route, ownId: number): Route =>
  route.view !== 'narrow'
    ? route
    : {
        ...route,
        narrow: route.narrow.map((one) =>
          one.operator === 'dm' && typeof one.operand === 'object' && one.operand.length > 1
            ? { ...one, operand: one.operand.filter((id) => id !== ownId) }
            : one,
        ),
      };

/** Returns the conversation or channel that a narrow is; null for a search or a list. */
export function placeOf(narrow: Narrow): Place | null {
  const terms = narrow.filter(({ operator }) => operator !== 'with');
  const [first, second, ...rest] = terms;
  if (first === undefined || rest.length > 0 || terms.some(({ negated }) => negated)) return null;
  if (second === undefined) {
    if (first.operator === 'dm' && typeof first.operand === 'object') {
      return { kind: 'dm', userIds: first.operand };
    }
    if (first.operator === 'channel' && typeof first.operand === 'number') {
      return { kind: 'channel', channelId: first.operand };
    }
    return null;
  }
  const channel = terms.find(({ operator }) => operator === 'channel');
  const topic = terms.find(({ operator }) => operator === 'topic');
  if (typeof channel?.operand !== 'number' || typeof topic?.operand !== 'string') return null;
  return { kind: 'topic', channelId: channel.operand, topic: topic.operand };
}

/** Returns a text that is the same for narrows that select the same messages. */
export const keyOf = (narrow: Narrow): string =>
  narrow
    .map(({ operator, operand, negated }) => {
      const text = typeof operand === 'object' ? [...operand].sort(up).join(',') : String(operand);
      // Topics are the same in upper and lower case.
      const shown = operator === 'topic' ? text.toLowerCase() : text;
      return `${negated ? '-' : ''}${operator}:${encodeURIComponent(shown)}`;
    })
    .join('/');

/** Returns what a hash names, or the Inbox for a hash that names nothing. */
export function parseRoute(hash: string): Route {
  const text = hash.startsWith('#') ? hash.slice(1) : hash;
  if (text.length > HASH_LENGTH_MAX) return INBOX;
  const [view = '', ...rest] = text.split('/');
  const plain = PLAIN.find((name) => name === view);
  if (plain !== undefined) {
    const [part = ''] = rest;
    return /^[a-z-]{1,30}$/.test(part) ? { view: plain, part } : { view: plain };
  }
  if (view === 'recent_topics') return { view: 'recent' };
  if (view === 'feed' || view === 'all_messages') return narrowRoute([]);
  if (view === 'topics') return topicsIn(rest) ?? INBOX;
  if (view !== 'narrow') return INBOX;
  return narrowIn(rest) ?? INBOX;
}

function topicsIn([word, channel = '']: readonly string[]): Route | null {
  const id = word === 'channel' ? operandIn('channel', decoded(channel) ?? '') : null;
  return typeof id === 'number' ? { view: 'topics', channelId: id } : null;
}

function narrowIn(parts: readonly string[]): Route | null {
  const narrow: Term[] = [];
  let near: number | null = null;
  for (let at = 0; at < parts.length; at += 2) {
    const word = parts[at] ?? '';
    if (word === '' && at === parts.length - 1) break;
    const operand = decoded(parts[at + 1] ?? '');
    if (operand === null || narrow.length === TERMS_MAX) return null;
    const negated = word.startsWith('-');
    const operator = ALIASES[negated ? word.slice(1) : word];
    if (operator === undefined) return null;
    if (operator === 'near') near = idIn(operand);
    else {
      const value = operandIn(operator, operand);
      if (value === null) return null;
      narrow.push(term(operator, value, negated));
    }
  }
  return narrowRoute(narrow, near);
}

/** Operators by their names, older ones included. */
export const ALIASES: Readonly<Record<string, Operator | 'near' | undefined>> = {
  __proto__: null as never,
  ...Object.fromEntries(OPERATORS.map((name) => [name, name])),
  near: 'near',
  stream: 'channel',
  streams: 'channels',
  subject: 'topic',
  from: 'sender',
  'pm-with': 'dm',
  'group-pm-with': 'dm-including',
};

/** Ids stand before a `-` and a name, which is for people alone. */
function operandIn(operator: Operator, text: string): Term['operand'] | null {
  switch (operator) {
    case 'dm': {
      const ids = /^\d+(?:,\d+)*(?=-|$)/.exec(text)?.[0].split(',').map(Number);
      return ids === undefined ? null : [...new Set(ids)].sort(up);
    }
    case 'channel':
    case 'sender':
    case 'dm-including': {
      const id = /^\d+(?=-|$)/.exec(text)?.[0];
      return id === undefined ? text : Number(id);
    }
    case 'id':
    case 'with':
      return idIn(text);
    case 'is':
      return text === 'private' ? 'dm' : text;
    default:
      return text;
  }
}

const idIn = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** Returns the hash that names a route, so that `parseRoute` gives the same route again. */
export function printRoute(route: Route, names: Names = NO_NAMES): string {
  if (route.view === 'topics') {
    const { channelId } = route;
    return `#topics/channel/${encoded(withName(String(channelId), names.channel(channelId)))}`;
  }
  if (route.view !== 'narrow') {
    return route.part === undefined ? `#${route.view}` : `#${route.view}/${route.part}`;
  }
  const { narrow, near } = route;
  const terms = narrow.map(
    ({ operator, operand, negated }) =>
      `/${negated ? '-' : ''}${operator}/${encoded(operandText(operator, operand, names))}`,
  );
  if (near !== null) terms.push(`/near/${near}`);
  return terms.length === 0 ? '#feed' : `#narrow${terms.join('')}`;
}

function operandText(operator: Operator, operand: Term['operand'], names: Names): string {
  if (typeof operand === 'object') {
    const [only = 0] = operand;
    const name = operand.length > 1 ? 'group' : names.person(only);
    return withName(operand.join(','), name);
  }
  if (typeof operand === 'string') return operand;
  if (operator === 'channel') return withName(String(operand), names.channel(operand));
  if (operator === 'sender' || operator === 'dm-including') {
    return withName(String(operand), names.person(operand));
  }
  return String(operand);
}

const withName = (id: string, name: string | undefined) =>
  name === undefined || name === '' ? id : `${id}-${name.replaceAll(' ', '-')}`;

/** Percent-encodes, then writes `%` as `.`; half a pair of surrogates has no encoding. */
const encoded = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replace(/[.!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2C', ',')
    .replaceAll('%', '.');

function decoded(text: string): string | null {
  try {
    // A browser may have encoded what was written by hand, so that both forms can be mixed.
    return decodeURIComponent(text.replace(/\.(?=[0-9A-Fa-f]{2})/g, '%'));
  } catch {
    return null;
  }
}

const up = (one: number, other: number) => one - other;
