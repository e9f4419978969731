/**
 * The text of the search box: operators such as `channel:general topic:"team lunch" -has:link`, and
 * words. It is read into a narrow, printed from one, and completed.
 */
import { ALIASES, type Narrow, type Operator, type Term } from './route.ts';

/** The names that operands may say. */
export interface Directory {
  readonly ownId: number;
  readonly channels: readonly Named[];
  readonly people: readonly Named[];
  /** The topics of a channel that are known so far, newest first. */
  readonly topicsOf: (channelId: number) => readonly string[];
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Search {
  readonly narrow: Narrow;
  readonly near: number | null;
  /** Sentences that say what was not understood. */
  readonly problems: readonly string[];
}

/** As the server: it takes no more of a search. */
export const SEARCH_LENGTH_MAX = 1_000;

/** A word, an operand in quotes or none at all, each with an operator before it or without. */
const TOKEN = /(-?)([a-z][a-z-]*):(?=\s|$)|(-?)(?:([a-z][a-z-]*):)?(?:"([^"]*)"?|([^\s"]+))/giu;

interface Token {
  readonly negated: boolean;
  readonly operator: Operator | 'near' | null;
  readonly operand: string;
}

function tokensOf(text: string): Token[] {
  return Array.from(text.slice(0, SEARCH_LENGTH_MAX).matchAll(TOKEN), (match) => {
    const [whole, emptyMinus, emptyWord, minus, word, quoted, bare] = match;
    const operator = ALIASES[(word ?? emptyWord ?? '').toLowerCase()] ?? null;
    // Texts such as `https://example.com` and `-5` only look like operators, and are words.
    if (operator === null) {
      return { negated: false, operator, operand: quoted !== undefined && !word ? quoted : whole };
    }
    return {
      negated: (minus ?? emptyMinus) === '-',
      operator,
      operand: quoted ?? bare ?? '',
    };
  });
}

/** Reads the text of the search box. */
export function parseSearch(text: string, directory: Directory): Search {
  const narrow: Term[] = [];
  const words: string[] = [];
  const problems: string[] = [];
  let near: number | null = null;
  for (const { operator, operand, negated } of tokensOf(text)) {
    if (operator === null || operator === 'search') {
      if (operand !== '') words.push(operand);
      continue;
    }
    const read = READERS[operator](operand, directory);
    if (typeof read === 'object' && 'problem' in read) problems.push(read.problem);
    else if (operator === 'near') near = read as number;
    else narrow.push({ operator, operand: read, negated });
  }
  if (words.length > 0) {
    narrow.push({ operator: 'search', operand: words.join(' '), negated: false });
  }
  return { narrow, near, problems };
}

type Read = Term['operand'] | { readonly problem: string };
type Reader = (operand: string, directory: Directory) => Read;

const messageId: Reader = (operand) =>
  /^\d{1,15}$/.test(operand)
    ? Number(operand)
    : { problem: `“${operand}” is not the number of a message.` };

const oneOf =
  (words: readonly string[]): Reader =>
  (operand) => {
    const word = operand.toLowerCase();
    return words.includes(word) ? word : { problem: `“${operand}” is not one of ${list(words)}.` };
  };

const person: Reader = (operand, { ownId, people }) =>
  operand.toLowerCase() === 'me'
    ? ownId
    : (idOf(people, operand) ?? { problem: `Nobody is called “${operand}”.` });

const everyone: Reader = (operand, directory) => {
  const ids: number[] = [];
  for (const name of operand.split(',')) {
    const read = person(name.trim(), directory);
    if (typeof read !== 'number') return read;
    ids.push(read);
  }
  return [...new Set(ids)].sort((one, other) => one - other);
};

export const IS = [
  'unread',
  'mentioned',
  'starred',
  'dm',
  'followed',
  'resolved',
  'muted',
  'alerted',
];
export const HAS = ['link', 'image', 'attachment', 'reaction'];

const READERS: Readonly<Record<Exclude<Operator, 'search'> | 'near', Reader>> = {
  channel: (operand, { channels }) =>
    idOf(channels, operand.replace(/^#/, '')) ?? { problem: `No channel is called “${operand}”.` },
  channels: oneOf(['public', 'web-public']),
  topic: (operand) => operand,
  dm: everyone,
  'dm-including': person,
  sender: person,
  is: oneOf(IS),
  has: oneOf(HAS),
  in: oneOf(['home', 'all']),
  id: messageId,
  with: messageId,
  near: messageId,
};

const list = (words: readonly string[]) => words.join(', ');

function idOf(named: readonly Named[], text: string): number | undefined {
  const wanted = text.trim().toLowerCase();
  return (
    named.find(({ name }) => name.toLowerCase() === wanted)?.id ??
    named.find(({ id }) => String(id) === wanted)?.id
  );
}

/** Returns the text that is read as this narrow. */
export function printSearch(narrow: Narrow, near: number | null, directory: Directory): string {
  const parts = narrow.map(({ operator, operand, negated }) => {
    if (operator === 'search') return String(operand);
    const text = operandText(operator, operand, directory);
    return `${negated ? '-' : ''}${operator}:${quoted(text)}`;
  });
  if (near !== null) parts.push(`near:${near}`);
  return parts.join(' ');
}

function operandText(operator: Operator, operand: Term['operand'], directory: Directory): string {
  const nameOf = (named: readonly Named[], id: number) =>
    named.find((one) => one.id === id)?.name ?? String(id);
  if (typeof operand === 'object') {
    return operand.map((id) => nameOf(directory.people, id)).join(', ');
  }
  if (typeof operand === 'string') return operand;
  if (operator === 'channel') return nameOf(directory.channels, operand);
  if (operator === 'sender' || operator === 'dm-including') {
    return nameOf(directory.people, operand);
  }
  return String(operand);
}

const quoted = (text: string) =>
  /[\s"]/.test(text) || text === '' ? `"${text.replaceAll('"', '')}"` : text;

/** One suggestion: the text of the box if it is taken. */
export interface Suggestion {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
}

const SUGGESTIONS_MAX = 8;

/** Operators in the order in which they are suggested, each with what it selects. */
export const HINTS: readonly (readonly [word: string, hint: string])[] = [
  ['channel:', 'in a channel'],
  ['topic:', 'in a topic'],
  ['sender:', 'written by somebody'],
  ['is:', list(IS)],
  ['has:', list(HAS)],
  ['near:', 'around a message'],
  ['dm:', 'direct messages with somebody'],
];

/** Completes what the cursor stands behind. */
export function suggestionsFor(text: string, directory: Directory): readonly Suggestion[] {
  const { before, minus, operator, operand } = lastToken(text);
  const complete = (word: string, hint: string): Suggestion => ({
    text: `${before}${minus}${word}`,
    label: `${minus}${word}`,
    hint,
  });
  if (operator === null) {
    const start = operand.toLowerCase();
    return [
      ...HINTS.filter(([word]) => word.startsWith(start)).map(([word, hint]) =>
        complete(word, hint),
      ),
      ...(start === '' ? [] : namesLike(start, directory, complete)),
    ].slice(0, SUGGESTIONS_MAX);
  }
  return operandsOf(operator, before, directory)
    .filter((name) => name.toLowerCase().includes(operand.toLowerCase()))
    .sort((one, other) => startsAt(one, operand) - startsAt(other, operand))
    .slice(0, SUGGESTIONS_MAX)
    .map((name) => complete(`${operator}:${quoted(name)} `, ''));
}

function lastToken(text: string) {
  const match = /(?:^|\s)(-?)(?:([a-z-]+):)?("[^"]*|[^\s"]*)$/iu.exec(text);
  const [whole = '', minus = '', word = '', rest = ''] = match ?? [];
  const start = text.length - whole.trimStart().length;
  const operator = ALIASES[word.toLowerCase()] ?? null;
  const isWord = operator === null && word !== '';
  return {
    before: text.slice(0, start),
    minus: isWord ? '' : minus,
    operator: operator === 'near' || operator === 'search' ? null : operator,
    operand: isWord ? `${minus}${word}:${rest}` : rest.replace('"', ''),
  };
}

type Complete = (word: string, hint: string) => Suggestion;

/** A word alone may be the name of a channel or of a person. */
function namesLike(start: string, { channels, people }: Directory, complete: Complete) {
  const like = (named: readonly Named[]) =>
    named.filter(({ name }) => startsAt(name, start) < 2).slice(0, 3);
  return [
    ...like(channels).map(({ name }) => complete(`channel:${quoted(name)} `, 'channel')),
    ...like(people).map(({ name }) => complete(`sender:${quoted(name)} `, 'person')),
  ];
}

/** Returns 0 where a name starts with a text, 1 where one of its words does, else 2. */
export function startsAt(name: string, text: string): 0 | 1 | 2 {
  const lower = name.toLowerCase();
  const wanted = text.toLowerCase();
  if (lower.startsWith(wanted)) return 0;
  return lower.split(/[\s\-_/.,()]+/).some((word) => word.startsWith(wanted)) ? 1 : 2;
}

function operandsOf(operator: Operator, before: string, directory: Directory): readonly string[] {
  const names = (named: readonly Named[]) => named.map(({ name }) => name);
  switch (operator) {
    case 'channel':
      return names(directory.channels);
    case 'sender':
    case 'dm':
    case 'dm-including':
      return ['me', ...names(directory.people)];
    case 'is':
      return IS;
    case 'has':
      return HAS;
    case 'topic': {
      const channel = parseSearch(before, directory).narrow.find(
        (term) => term.operator === 'channel',
      );
      return typeof channel?.operand === 'number' ? directory.topicsOf(channel.operand) : [];
    }
    default:
      return [];
  }
}
