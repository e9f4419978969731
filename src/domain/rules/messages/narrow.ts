/**
 * Narrows select messages. The narrow of a fetch or a flag change is parsed to terms for the
 * operation that searches (reference/endpoints.md 2.1); the narrow of an event queue is compiled to
 * a predicate (reference/events-and-register.md 3.4).
 */
import * as errors from '../../wire/errors.ts';
import { isResolvedTopic, topicKey } from './topic.ts';

/** Terms of one narrow; every term costs a check of every message that is searched. */
export const NARROW_TERMS_MAX = 100;
/** Characters of all searches of one narrow; each word of them is searched for in every message. */
export const SEARCH_TEXT_LENGTH_MAX = 1_000;

/** The parsed operand of each operator. */
interface Operands {
  channel: string | number;
  channels: 'public' | 'web-public';
  topic: string;
  /** IDs, or addresses from older clients; the caller's own may be left out. */
  dm: readonly number[] | readonly string[];
  'dm-including': string | number;
  'group-pm-with': string | number;
  sender: string | number;
  is: IsOperand;
  has: 'attachment' | 'image' | 'link' | 'reaction';
  in: 'home' | 'all';
  id: number;
  near: number;
  with: number;
  search: string;
}

const IS_OPERANDS = [
  'dm',
  'starred',
  'unread',
  'mentioned',
  'alerted',
  'resolved',
  'followed',
  'muted',
] as const;

export type IsOperand = (typeof IS_OPERANDS)[number];

export type NarrowOperator = keyof Operands;

export type NarrowTermOf<O extends NarrowOperator> = O extends NarrowOperator
  ? { readonly operator: O; readonly operand: Operands[O]; readonly negated: boolean }
  : never;

export type NarrowTerm = NarrowTermOf<NarrowOperator>;

/** Accepts terms as objects or as pairs of strings; no narrow at all selects everything. */
export function parseNarrow(json: unknown): readonly NarrowTerm[] {
  if (json === null || json === undefined) return [];
  if (!Array.isArray(json)) throw errors.badRequest('narrow is not a list');
  if (json.length > NARROW_TERMS_MAX) {
    throw errors.badRequest(`narrow has more than ${NARROW_TERMS_MAX} terms`);
  }
  const terms = json.map((term: unknown, index) => parseTerm(term, `narrow[${index}]`));
  refuseContradictions(terms);
  refuseLongSearches(terms);
  return terms;
}

function refuseLongSearches(terms: readonly NarrowTerm[]): void {
  const length = termsOf(terms, 'search').reduce((sum, { operand }) => sum + operand.length, 0);
  if (length <= SEARCH_TEXT_LENGTH_MAX) return;
  throw errors.badRequest(`narrow searches for more than ${SEARCH_TEXT_LENGTH_MAX} characters`);
}

/** Returns the terms with that operator, negated ones included. */
export const termsOf = <O extends NarrowOperator>(
  terms: readonly NarrowTerm[],
  operator: O,
): readonly NarrowTermOf<O>[] => terms.filter((term) => isTermOf(term, operator));

const isTermOf = <O extends NarrowOperator>(
  term: NarrowTerm,
  operator: O,
): term is NarrowTermOf<O> => term.operator === operator;

const OPERATOR_ALIASES: ReadonlyMap<string, NarrowOperator> = new Map([
  ['stream', 'channel'],
  ['streams', 'channels'],
  ['subject', 'topic'],
  ['pm-with', 'dm'],
  ['pm_with', 'dm'],
]);

/** A value of the request, and how a refusal names it. */
interface Given {
  readonly value: unknown;
  readonly name: string;
}

/**
 * Each parser refuses invalid operands: a wrong type as a bad request, an unknown value as a bad
 * narrow.
 */
const OPERAND_PARSERS: { readonly [O in NarrowOperator]: (given: Given) => Operands[O] } = {
  channel: textOrId,
  channels: (given) => oneOf(['public', 'web-public'], given),
  topic: text,
  dm: people,
  'dm-including': textOrId,
  'group-pm-with': textOrId,
  sender: textOrId,
  is: isOperand,
  has: (given) => oneOf(['attachment', 'image', 'link', 'reaction'], given),
  in: (given) => oneOf(['home', 'all'], given),
  id: messageId,
  near: messageId,
  with: messageId,
  search: text,
};

function parseTerm(term: unknown, name: string): NarrowTerm {
  const { operator: word, operand, negated } = partsOf(term, name);
  const operator = knownOperator(word);
  return termOf(operator, {
    operand: OPERAND_PARSERS[operator]({ value: operand, name: `${name}.operand` }),
    negated,
  });
}

// The table of parsers pairs each operator with its own operand, which the compiler cannot follow
// through a lookup.
const termOf = (operator: NarrowOperator, rest: { operand: unknown; negated: boolean }) =>
  ({ operator, ...rest }) as NarrowTerm;

function partsOf(
  term: unknown,
  name: string,
): { operator: string; operand: unknown; negated: boolean } {
  if (Array.isArray(term)) {
    const [operator, operand] = term as unknown[];
    if (term.length !== 2 || typeof operator !== 'string' || typeof operand !== 'string') {
      throw errors.badRequest(`${name} is not a pair of strings`);
    }
    return { operator, operand, negated: false };
  }
  if (typeof term !== 'object' || term === null) {
    throw errors.badRequest(`${name} is not a dict or a pair of strings`);
  }
  const { operator, operand, negated = false }: Record<string, unknown> = { ...term };
  if (typeof operator !== 'string') throw errors.badRequest(`${name}.operator is not a string`);
  if (operand === undefined) throw errors.badRequest(`${name}.operand is missing`);
  if (typeof negated !== 'boolean') throw errors.badRequest(`${name}.negated is not a boolean`);
  return { operator, operand, negated };
}

function knownOperator(word: string): NarrowOperator {
  const name = word.toLowerCase();
  const operator = OPERATOR_ALIASES.get(name) ?? name;
  if (!isOperator(operator)) throw errors.badNarrow(`unknown operator ${word}`);
  return operator;
}

const isOperator = (word: string): word is NarrowOperator => Object.hasOwn(OPERAND_PARSERS, word);

function text({ value, name }: Given): string {
  if (typeof value !== 'string') throw errors.badRequest(`${name} is not a string`);
  return value;
}

function textOrId({ value, name }: Given): string | number {
  if (typeof value === 'string' || isInteger(value)) return value;
  throw errors.badRequest(`${name} is not a string or an integer`);
}

/**
 * "message ID (string or integer)"; a number no message can have matches nothing, so it need not be
 * exact.
 */
function messageId({ value, name }: Given): number {
  if (isId(value)) return value;
  if (typeof value !== 'string' && !Number.isInteger(value)) {
    throw errors.badRequest(`${name} is not a string or an integer`);
  }
  const id = Number(value);
  if (!/^\d+$/.test(String(value)) || !isId(id)) throw errors.badNarrow('invalid message ID');
  return id;
}

function people({ value, name }: Given): readonly number[] | readonly string[] {
  if (typeof value === 'string') {
    const emails = value.split(',').map((email) => email.trim());
    if (emails.includes('')) throw errors.badNarrow(`unknown user in ${value}`);
    return [...new Set(emails)];
  }
  if (Array.isArray(value) && value.every(isInteger)) return [...new Set(value)];
  throw errors.badRequest(`${name} is not a string or a list of integers`);
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isId = (value: unknown): value is number => isInteger(value) && value >= 0;

function isOperand(given: Given): IsOperand {
  if (given.value === 'private') return 'dm';
  return oneOf(IS_OPERANDS, given);
}

function oneOf<const W extends string>(words: readonly W[], given: Given): W {
  const word = text(given);
  const found = words.find((known) => known === word);
  if (found === undefined) throw errors.badNarrow(`unknown operand ${word}`);
  return found;
}

const CHANNEL_OPERATORS: ReadonlySet<string> = new Set(['channel', 'channels', 'topic']);
const DIRECT_OPERATORS: ReadonlySet<string> = new Set(['dm', 'dm-including', 'group-pm-with']);

function refuseContradictions(terms: readonly NarrowTerm[]): void {
  const positive = terms.filter((term) => !term.negated);
  const inChannel = positive.some((term) => CHANNEL_OPERATORS.has(term.operator));
  const isDirect = positive.some(
    ({ operator, operand }) =>
      DIRECT_OPERATORS.has(operator) || (operator === 'is' && operand === 'dm'),
  );
  if (inChannel && isDirect) {
    throw errors.badNarrowCombination('no message is both a channel message and a direct message');
  }
  if (termsOf(terms, 'with').length > 1)
    throw errors.badNarrowCombination("Duplicate 'with' operators.");
}

/** A term of a queue's narrow; terms are joined by "and", and none is negated. */
export interface QueueNarrowTerm {
  readonly operator: 'channel' | 'topic' | 'sender' | 'is';
  readonly operand: string;
}

/** The fields of a message that a queue narrow reads. */
export interface QueueNarrowMessage {
  readonly type: 'stream' | 'private';
  readonly channelName: string;
  readonly topic: string;
  readonly senderEmail: string;
  /** the flags of the owner of the queue */
  readonly flags: readonly string[];
}

export function parseQueueNarrow(
  pairs: readonly (readonly [operator: string, operand: string])[],
): readonly QueueNarrowTerm[] {
  if (pairs.length > NARROW_TERMS_MAX) {
    throw errors.badRequest(`narrow has more than ${NARROW_TERMS_MAX} terms`);
  }
  return pairs.map(([word, operand]) => {
    const operator = QUEUE_OPERATORS.get(word.toLowerCase());
    if (!operator) throw errors.badRequest(`Operator ${word} not supported.`);
    // Flags of a message do not say whether its topic is followed.
    if (operator === 'is' && operand.toLowerCase() === 'followed') {
      throw errors.badRequest(`Operand ${operand} not supported.`);
    }
    return { operator, operand };
  });
}

/** Returns null if the narrow is empty, so that everything matches. */
export function compileQueueNarrow(
  terms: readonly QueueNarrowTerm[],
): ((message: QueueNarrowMessage) => boolean) | null {
  const [only, ...others] = terms.map(compileQueueTerm);
  if (!only) return null;
  if (others.length === 0) return only;
  return (message) => only(message) && others.every((matches) => matches(message));
}

const QUEUE_OPERATORS: ReadonlyMap<string, QueueNarrowTerm['operator']> = new Map([
  ['channel', 'channel'],
  ['stream', 'channel'],
  ['topic', 'topic'],
  ['sender', 'sender'],
  ['is', 'is'],
]);

function compileQueueTerm(term: QueueNarrowTerm): (message: QueueNarrowMessage) => boolean {
  const operand = term.operand.toLowerCase();
  const topic = topicKey(term.operand);
  switch (term.operator) {
    case 'channel':
      return ({ type, channelName }) => type === 'stream' && channelName.toLowerCase() === operand;
    case 'topic':
      return (message) => message.type === 'stream' && topicKey(message.topic) === topic;
    case 'sender':
      return ({ senderEmail }) => senderEmail.toLowerCase() === operand;
    case 'is':
      // "an unknown `is` operand matches everything"
      return QUEUE_IS_OPERANDS.get(operand) ?? (() => true);
  }
}

const QUEUE_IS_OPERANDS: ReadonlyMap<string, (message: QueueNarrowMessage) => boolean> = new Map([
  ['dm', ({ type }: QueueNarrowMessage) => type === 'private'],
  ['private', ({ type }: QueueNarrowMessage) => type === 'private'],
  ['starred', ({ flags }: QueueNarrowMessage) => flags.includes('starred')],
  ['unread', ({ flags }: QueueNarrowMessage) => !flags.includes('read')],
  ['mentioned', ({ flags }: QueueNarrowMessage) => flags.includes('mentioned')],
  ['alerted', ({ flags }: QueueNarrowMessage) => flags.includes('mentioned')],
  [
    'resolved',
    ({ type, topic }: QueueNarrowMessage) => type === 'stream' && isResolvedTopic(topic),
  ],
]);
