import type { NarrowTerm } from '../../../src/domain/rules/messages/narrow.ts';
import { isResolvedTopic } from '../../../src/domain/rules/messages/topic.ts';
import {
  BOARD,
  GUS,
  isMutedFor,
  type ModelMessage,
  mayRead,
  policyOf,
  sameTopic,
  TEAM,
} from './model.ts';
import type { ModelledRealm } from './modelled-realm.ts';

/** The messages that a narrow selects for a user, by a look at each of them. */
export function expectedIds(realm: ModelledRealm, userId: number, narrow: readonly NarrowTerm[]) {
  const { model } = realm;
  const wanted = narrow.filter(({ negated }) => !negated);
  const isOwn = narrow.some(
    (one) => one.operator === 'is' && one.operand !== 'resolved' && one.operand !== 'followed',
  );
  const isFull =
    !isOwn &&
    wanted.some(
      (one) =>
        one.operator === 'channel' ||
        (one.operator === 'channels' && one.operand === 'public' && userId !== GUS),
    );
  const areStarred = wanted.some((one) => one.operator === 'is' && one.operand === 'starred');
  return model.messages
    .filter((message) => mayRead(model, userId, message))
    .filter(({ id, channelId }) => {
      if (isFull || areStarred) return true;
      return model.received.get(userId)?.has(id) && wasEverIn(realm, channelId, userId);
    })
    .filter((message) =>
      narrow.every(
        (one) => one.operator === 'near' || isSelected(realm, userId, message, one) !== one.negated,
      ),
    )
    .map(({ id }) => id);
}

/** Follows the reference for each operator, over the model. */
function isSelected(realm: ModelledRealm, userId: number, message: ModelMessage, one: NarrowTerm) {
  const { model } = realm;
  const { id, channelId, people } = message;
  const has = (sets: ReadonlyMap<number, Set<number>>) => sets.get(userId)?.has(id) === true;
  const isChannel = channelId !== 0;
  switch (one.operator) {
    case 'channel':
      return channelId === one.operand;
    case 'channels':
      return isChannel && one.operand === 'public' && channelId !== TEAM && channelId !== BOARD;
    case 'topic':
      return (
        isChannel && sameTopic(message.topic, one.operand === 'general chat' ? '' : one.operand)
      );
    case 'dm': {
      const wanted = new Set([userId, ...(one.operand as number[])]); // the arbitrary gives ids
      return !isChannel && people.length === wanted.size && people.every((it) => wanted.has(it));
    }
    case 'dm-including':
      return !isChannel && people.includes(Number(one.operand));
    case 'group-pm-with':
      return !isChannel && people.length > 2 && people.includes(Number(one.operand));
    case 'sender':
      return message.senderId === one.operand;
    case 'id':
      return id === one.operand;
    case 'is':
      return {
        dm: !isChannel,
        starred: has(model.starred),
        unread: has(model.unread),
        mentioned: has(model.mentioned) || (message.hasWildcard && has(model.received)),
        alerted: false,
        resolved: isChannel && isResolvedTopic(message.topic),
        followed: policyOf(model, userId, message) === 3,
        muted: isMutedFor(model, userId, message),
      }[one.operand];
    case 'has':
      return {
        attachment: message.content.includes('/user_uploads/'),
        image: message.content.includes('.png'),
        link: message.content.includes('https:') || message.content.includes('[a]'),
        reaction: model.reacted.has(id),
      }[one.operand];
    case 'search':
      return (
        {
          plan: message.content.includes('plan'),
          hi: message.content === 'hi',
          rare: isChannel && message.topic === 'rare',
          '"S: HTTPS"': message.content.includes('s: https'),
        }[one.operand] ?? false
      );
    case 'in':
      return one.operand === 'all' || !isMutedFor(model, userId, message);
    case 'near':
      return true;
    default:
      throw new Error(`no model of ${one.operator}`);
  }
}

/**
 * A message that was moved to a channel where the user never was is not among their own messages
 * any more (docs/decisions/0035).
 */
const wasEverIn = ({ reader }: ModelledRealm, channelId: number, userId: number) =>
  channelId === 0 || reader.subscriptions.has([channelId, userId]);
