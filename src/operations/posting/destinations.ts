import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { DIRECT_RECIPIENTS_MAX } from '../../domain/limits/messages.ts';
import { acceptableTopic } from '../../domain/rules/messages/topic.ts';
import { escapeHtml } from '../../domain/rules/texts/html.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as accounts from '../access/accounts.ts';
import type { Caller } from '../access/caller.ts';
import { byName } from '../access/channel-access.ts';
import * as botDefaults from '../users/bot-defaults.ts';
import type { Destination } from './conversations.ts';

/** The destination of a message in the client's own words. */
export interface Addressed {
  readonly type: 'direct' | 'channel' | 'stream' | 'private';
  readonly to: string | undefined;
  readonly topic: string | undefined;
}

/** The parsed destination: the people exist, the channel may not. */
export type Address =
  | { readonly people: readonly UserRow[] }
  | { readonly channel: ChannelName; readonly topic: string };

/** The name or the id of a channel; a number is always an id. */
export type ChannelName = string | number;

/**
 * Parses `type`, `to` and `topic` of a send (reference/endpoints.md 1.1: `to` forms, checks 2 and
 * 3).
 */
export function addressOf(
  tx: RealmTransaction,
  caller: Caller,
  { type, to, topic }: Addressed,
): Address {
  if (type === 'direct' || type === 'private') return { people: peopleOf(tx, caller, to) };
  // "Omitted: the bot's default sending channel, otherwise BR."
  const channel = to === undefined ? botDefaults.sendingChannelOf(tx, caller.user) : null;
  return { channel: channel ?? channelNamed(to), topic: topicOf(topic) };
}

/** Returns the destination of an address, whose channel has to exist (check 5). */
export function destinationOf(tx: RealmTransaction, address: Address): Destination {
  if ('people' in address) return address;
  const { channel: channelName, topic } = address;
  const channel =
    typeof channelName === 'number' ? tx.channels.get([channelName]) : byName(tx, channelName);
  if (channel !== undefined) return { channel, topic };
  throw errors.channelDoesNotExist(
    typeof channelName === 'number'
      ? { stream_id: channelName }
      : { stream: escapeHtml(channelName) },
  );
}

/** Returns the topic of a channel message, as it is stored. */
export function topicOf(topic: string | undefined): string {
  if (topic === undefined) throw errors.badRequest('Missing topic');
  return acceptableTopic(topic);
}

/**
 * Parses integer text, JSON text of a string, a raw name, or a list of one of these. A number is
 * always an id.
 */
function channelNamed(to: string | undefined): string | number {
  if (to === undefined || to.trim() === '') throw errors.badRequest('Missing channel');
  const value = jsonOrText(to);
  const named = Array.isArray(value) ? value[0] : value;
  if (Array.isArray(value) && value.length !== 1) {
    throw errors.badRequest('Expected exactly one channel');
  }
  if (typeof named === 'string') return named;
  if (typeof named === 'number' && Number.isSafeInteger(named)) return named;
  throw errors.badRequest('Invalid data type for channel');
}

function peopleOf(tx: RealmTransaction, caller: Caller, to: string | undefined): UserRow[] {
  const named = namesOf(to);
  if (named.length === 0) throw errors.badRequest('Message must have recipients');
  if (named.length > DIRECT_RECIPIENTS_MAX) {
    throw errors.badRequest(`A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`);
  }
  const people = new Map<number, UserRow>();
  for (const name of named) {
    const user =
      typeof name === 'number' ? tx.users.get([name]) : accounts.byEmail(tx, name, caller.site);
    if (user === undefined) {
      throw typeof name === 'number'
        ? errors.invalidRecipientId(name)
        : errors.badRequest(`Invalid email '${name}'`);
    }
    people.set(user.id, user);
  }
  return [...people.values()];
}

/**
 * Parses a JSON list of ids or of addresses, or addresses separated by commas, raw or as a JSON
 * string.
 */
function namesOf(to: string | undefined): (string | number)[] {
  if (to === undefined) throw errors.missingParameter('to');
  const value = jsonOrText(to);
  if (typeof value === 'string') {
    return value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  const list = Array.isArray(value) ? value : [value];
  if (list.every((item) => typeof item === 'string')) {
    return list.map((item) => item.trim()).filter((item) => item !== '');
  }
  if (list.every((item) => Number.isSafeInteger(item))) return list as number[];
  throw errors.badRequest('Recipient lists may contain emails or user IDs, but not both.');
}

/**
 * Matches the beginning of JSON. Other text is a raw name: a failed parse costs more than the rest
 * of a send.
 */
const MAYBE_JSON = /^\s*["[{\d-]/;

function jsonOrText(text: string): unknown {
  if (!MAYBE_JSON.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
