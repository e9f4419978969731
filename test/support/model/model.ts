import { topicKey } from '../../../src/domain/rules/messages/topic.ts';
import type { Policy as TopicPolicy } from '../../../src/operations/indexes/user-topics.ts';

/** Ids follow from the order of creation. */
export const ADA = 1;
export const MEL = 2;
export const IVY = 3;
export const GUS = 4;
export const PEOPLE = [ADA, MEL, IVY, GUS] as const;
export const NAMES = ['Ada', 'Mel', 'Ivy', 'Gus'];

export const GENERAL = 1;
export const RANDOM = 2;
/** Private, with shared history. */
export const TEAM = 3;
/** Private, with protected history. */
export const BOARD = 4;

export interface ModelMessage {
  readonly id: number;
  readonly senderId: number;
  /** 0 for a direct message. */
  readonly channelId: number;
  readonly topic: string;
  readonly people: readonly number[];
  readonly hasWildcard: boolean;
  readonly content: string;
}

/** The expected state of a realm, kept in the simplest way: sets of message ids by user. */
export interface Model {
  readonly messages: ModelMessage[];
  /** `channel:user`. */
  readonly subscribed: Set<string>;
  readonly received: Sets;
  /** Received, and then in every channel that it was moved to. */
  readonly along: Sets;
  /** Came to the channel where they are while the user was there. */
  readonly present: Sets;
  readonly unread: Sets;
  readonly starred: Sets;
  readonly mentioned: Sets;
  /** `channel:user`. */
  readonly muted: Set<string>;
  /** Keys are `user:channel:topicKey`. */
  readonly policies: Map<string, TopicPolicy>;
  readonly reacted: Set<number>;
}

export type Sets = ReadonlyMap<number, Set<number>>;

export function emptyModel(): Model {
  const sets = () => new Map(PEOPLE.map((id) => [id, new Set<number>()]));
  return {
    messages: [],
    subscribed: new Set(),
    received: sets(),
    along: sets(),
    present: sets(),
    unread: sets(),
    starred: sets(),
    mentioned: sets(),
    muted: new Set(),
    policies: new Map(),
    reacted: new Set(),
  };
}

export const isSubscribedIn = (model: Model, channelId: number, userId: number) =>
  model.subscribed.has(`${channelId}:${userId}`);

/** Decides who may read a message: the rules in the words of the reference, over the model. */
export function mayRead(model: Model, userId: number, message: ModelMessage): boolean {
  if (message.channelId === 0) return message.people.includes(userId);
  const isMember = isSubscribedIn(model, message.channelId, userId);
  if (message.channelId === BOARD) {
    return isMember && model.present.get(userId)?.has(message.id) === true;
  }
  return isMember || (message.channelId !== TEAM && userId !== GUS);
}

export const sameTopic = (one: string, other: string) => topicKey(one) === topicKey(other);

/** Muted by its topic, or by its channel where the topic is neither unmuted nor followed. */
export function isMutedFor(model: Model, userId: number, message: ModelMessage): boolean {
  const { channelId } = message;
  const policy = policyOf(model, userId, message);
  if (policy === 1) return true;
  return policy === 0 && channelId !== 0 && model.muted.has(`${channelId}:${userId}`);
}

export const policyOf = (model: Model, userId: number, { channelId, topic }: ModelMessage) =>
  model.policies.get(`${userId}:${channelId}:${topicKey(topic)}`) ?? 0;
