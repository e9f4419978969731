import type { Narrow, Term } from '../route.ts';
import { isRead, isResolved, isSameTopic, type Message, peopleOf } from './message.ts';

/** The name that clients show for the empty topic. */
const EMPTY_TOPIC = 'general chat';

/** Tells whether a narrow selects a message; null where only the server knows. */
export function matches(message: Message, narrow: Narrow, ownId: number): boolean | null {
  let result: boolean | null = true;
  for (const term of narrow) {
    const is = isSelected(message, term, ownId);
    if (is === null) result = null;
    else if (is === term.negated) return false;
  }
  return result;
}

function isSelected(message: Message, { operator, operand }: Term, ownId: number): boolean | null {
  const isChannel = message.type === 'stream';
  switch (operator) {
    case 'channel':
      return isChannel && typeof operand === 'number'
        ? message.stream_id === operand
        : unknownIf(isChannel);
    case 'topic': {
      const topic = String(operand);
      const wanted = isSameTopic(topic, EMPTY_TOPIC) ? '' : topic;
      return isChannel && isSameTopic(message.subject, wanted);
    }
    case 'dm':
      return isChannel ? false : isConversation(message, operand, ownId);
    case 'dm-including':
      if (isChannel) return false;
      return typeof operand === 'number' ? peopleOf(message).includes(operand) : null;
    case 'sender':
      return typeof operand === 'number' ? message.sender_id === operand : null;
    case 'is':
      return hasState(message, operand);
    case 'has':
      return operand === 'reaction' ? message.reactions.length > 0 : null;
    case 'in':
      return operand === 'all' ? true : null;
    case 'id':
      return message.id === operand;
    default:
      return null;
  }
}

const unknownIf = (isPossible: boolean) => (isPossible ? null : false);

function isConversation(message: Message, operand: Term['operand'], ownId: number) {
  if (typeof operand !== 'object') return null;
  const wanted = new Set([ownId, ...operand]);
  const people = peopleOf(message);
  return people.length === wanted.size && people.every((id) => wanted.has(id));
}

function hasState(message: Message, operand: Term['operand']): boolean | null {
  const { flags } = message;
  switch (operand) {
    case 'dm':
      return message.type === 'private';
    case 'starred':
      return flags.includes('starred');
    case 'unread':
      return !isRead(message);
    case 'mentioned':
      return MENTIONS.some((flag) => flags.includes(flag));
    case 'alerted':
      return flags.includes('has_alert_word');
    case 'resolved':
      return message.type === 'stream' && isResolved(message.subject);
    default:
      return null;
  }
}

const MENTIONS = ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'];

/**
 * The thing that changes so that messages may leave a narrow or join it: a part of a message, or a
 * decision of the account about topics or channels.
 */
export type Aspect = 'place' | 'content' | 'read' | 'starred' | 'reaction' | 'topics' | 'channels';

/** Tells whether messages may leave or join a narrow when that of them changes. */
export const dependsOn = (narrow: Narrow, aspect: Aspect): boolean =>
  narrow.some((term) =>
    (ASPECTS[`${term.operator}:${term.operand}`] ?? ASPECTS[term.operator])?.includes(aspect),
  );

const ASPECTS: Readonly<Record<string, readonly Aspect[]>> = {
  channel: ['place'],
  channels: ['place', 'channels'],
  topic: ['place'],
  with: ['place'],
  search: ['place', 'content'],
  in: ['place'],
  has: ['content'],
  is: ['place', 'content'],
  'has:reaction': ['reaction'],
  'is:starred': ['starred'],
  'is:unread': ['read'],
  'is:dm': [],
  'is:followed': ['place', 'topics'],
  // A channel that is muted mutes its topics, except those that are unmuted or followed.
  'is:muted': ['place', 'topics', 'channels'],
  'in:home': ['place', 'topics', 'channels'],
};
