import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  MESSAGE_LENGTH_MAX,
  WILDCARD_FREE_PARTICIPANTS_MAX,
  WILDCARD_FREE_SUBSCRIBERS_MAX,
} from '../../domain/limits/messages.ts';
import { isTooLong, normalizeContent, topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { systemGroupName } from '../../domain/wire/system-groups.ts';
import { type RenderedContent, renderMarkdown } from '../../markdown/markdown.ts';
import type { Caller } from '../access/caller.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import { may, mayInChannel, mayInGroup, type Reads, realmSetting } from '../access/groups.ts';
import * as topicParticipants from '../indexes/topic-participants.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import type { Destination } from './conversations.ts';
import * as conversations from './conversations.ts';

interface Draft {
  readonly destination: Destination;
  /** The content after `acceptableContent`, which comes before the destination is looked up. */
  readonly content: string;
}

/**
 * Returns the rendered message, or refuses it, in the order of reference/endpoints.md 1.1 from the
 * destination on. A scheduled message passes the same checks when it is stored and again when it is
 * sent.
 */
export function acceptable(tx: RealmTransaction, caller: Caller, draft: Draft): RenderedContent {
  const { user, site } = caller;
  const { destination, content } = draft;
  if ('channel' in destination) refusePosting(tx, user, destination);
  else conversations.refuseWriting(tx, caller, destination.people);
  const rendered = renderMarkdown(content, messageDirectory(tx, user, site));
  if ('channel' in destination) refuseWildcards(tx, user, { destination, rendered });
  refuseGroupMentions(tx, user, rendered);
  return rendered;
}

/** Renders content as a message of the caller to any destination. */
export function rendered(tx: Reads, { user, site }: Caller, text: string): string {
  const content = normalizeContent(text);
  refuseUnfit(content);
  return renderMarkdown(content, messageDirectory(tx, user, site)).html;
}

/** Returns text as it is stored; refuses text that no message can have. */
export function acceptableContent(text: string): string {
  const content = normalizeContent(text);
  if (content === '') throw errors.badRequest('Message must not be empty');
  refuseUnfit(content);
  return content;
}

function refuseUnfit(content: string) {
  if (content.includes('\0')) throw errors.badRequest('Message must not contain null bytes');
  if (isTooLong(content)) {
    throw errors.badRequest(`Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`);
  }
}

export interface InTopic {
  readonly channel: ChannelRow;
  readonly topic: string;
}

/** Refuses a sender who may not write to a channel and topic. */
function refusePosting(tx: RealmTransaction, sender: UserRow, where: InTopic) {
  refuseSpeaking(tx, sender, where.channel);
  refuseNewTopic(tx, sender, where);
  refuseTopic(tx, where);
}

/** Returns the users whose permissions count: a bot also has those of its owner. */
function speakersFor(tx: Reads, sender: UserRow): UserRow[] {
  const owner = sender.botOwnerId === null ? undefined : tx.users.get([sender.botOwnerId]);
  return owner === undefined ? [sender] : [sender, owner];
}

/** Refuses a sender who may neither post in a channel nor move messages to it. */
export function refuseSpeaking(tx: Reads, sender: UserRow, channel: ChannelRow) {
  if (channel.isArchived) throw notAuthorized(channel);
  const speakers = speakersFor(tx, sender);
  const name = 'can_send_message_group';
  if (!speakers.some((user) => mayInChannel(tx, user, { channel, name }))) {
    throw errors.badRequest('You do not have permission to post in this channel.');
  }
  const canRead = speakers.some((user) => {
    const subscription = tx.subscriptions.get([channel.id, user.id]);
    return hasContentAccess(tx, { user, channel, subscription });
  });
  if (!canRead) throw notAuthorized(channel);
}

const notAuthorized = ({ name }: ChannelRow) =>
  errors.badRequest(`Not authorized to send to channel '${name}'`);

/** Refuses a new topic without the permission for it. */
export function refuseNewTopic(tx: RealmTransaction, sender: UserRow, { channel, topic }: InTopic) {
  if (tx.topics.get([channel.id, topicKey(topic)]) !== undefined) return;
  const name = 'can_create_topic_group';
  if (speakersFor(tx, sender).some((user) => mayInChannel(tx, user, { channel, name }))) return;
  throw errors.badRequest('You do not have permission to create new topics in this channel.');
}

/**
 * Refuses a topic that the channel's policy, or the inherited one of the realm, excludes
 * (reference/endpoints.md 1.1).
 */
export function refuseTopic(tx: RealmTransaction, { channel, topic }: InTopic) {
  const policy =
    channel.topicsPolicy === 'inherit' ? realmSetting(tx, 'topics_policy') : channel.topicsPolicy;
  if (topic === '' && policy === 'disable_empty_topic') {
    throw errors.badRequest('Sending messages to the general chat is not allowed in this channel.');
  }
  if (topic !== '' && policy === 'empty_topic_only') {
    throw errors.badRequest('Only the general chat topic is allowed in this channel.');
  }
}

/**
 * Refuses wildcards that reach many users without the organization's permission; all users may
 * reach a few.
 */
export function refuseWildcards(
  tx: RealmTransaction,
  sender: UserRow,
  { destination, rendered }: { destination: InTopic; rendered: RenderedContent },
) {
  const { channel, topic } = destination;
  const isCrowdedChannel = () => channel.subscriberCount > WILDCARD_FREE_SUBSCRIBERS_MAX;
  const isCrowdedTopic = () => {
    const ref = { channelId: channel.id, topic };
    return topicParticipants.areMoreThan(tx, ref, WILDCARD_FREE_PARTICIPANTS_MAX);
  };
  const mayMentionMany = () => may(tx, sender, 'can_mention_many_users_group');
  if (rendered.hasChannelWildcard && isCrowdedChannel() && !mayMentionMany()) {
    throw errors.channelWildcardNotAllowed();
  }
  if (rendered.hasTopicWildcard && isCrowdedTopic() && !mayMentionMany()) {
    throw errors.topicWildcardNotAllowed();
  }
}

/** Refuses mentions of groups that do not permit them; system groups permit none. */
export function refuseGroupMentions(
  tx: RealmTransaction,
  sender: UserRow,
  { mentionedGroupIds }: RenderedContent,
) {
  for (const groupId of mentionedGroupIds) {
    const group = tx.groups.get([groupId]);
    if (group !== undefined && mayInGroup(tx, sender, { group, name: 'can_mention_group' })) {
      continue;
    }
    const name = group?.name ?? systemGroupName(groupId) ?? '';
    throw errors.badRequest(`You are not allowed to mention user group '${name}'.`);
  }
}
