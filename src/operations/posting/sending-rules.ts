import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  MESSAGE_LENGTH_MAX,
  WILDCARD_FREE_PARTICIPANTS_MAX,
  WILDCARD_FREE_SUBSCRIBERS_MAX,
} from '../../domain/limits.ts';
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
  /** As `acceptableContent` gives it, which comes before the destination is looked for. */
  readonly content: string;
}

/**
 * What may be sent, rendered; refuses what may not, in the order of reference/endpoints.md 1.1 from the destination on. The same checks hold for a message that is to be sent later, when it is stored and once more when it is sent.
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

/** What a message of the caller with this content would look like, wherever it were sent. */
export function rendered(tx: Reads, { user, site }: Caller, text: string): string {
  const content = normalizeContent(text);
  refuseUnfit(content);
  return renderMarkdown(content, messageDirectory(tx, user, site)).html;
}

/** Text as it is stored; refuses what no message can be. */
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

/** Who may write to a channel and topic. */
function refusePosting(tx: RealmTransaction, sender: UserRow, where: InTopic) {
  refuseSpeaking(tx, sender, where.channel);
  refuseNewTopic(tx, sender, where);
  refuseTopic(tx, where);
}

/** A bot may do what its owner may, too. */
function speakersFor(tx: Reads, sender: UserRow): UserRow[] {
  const owner = sender.botOwnerId === null ? undefined : tx.users.get([sender.botOwnerId]);
  return owner === undefined ? [sender] : [sender, owner];
}

/** Who may neither post in a channel nor move messages to it. */
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

/** A topic that has no messages yet takes a permission of its own. */
export function refuseNewTopic(tx: RealmTransaction, sender: UserRow, { channel, topic }: InTopic) {
  if (tx.topics.get([channel.id, topicKey(topic)]) !== undefined) return;
  const name = 'can_create_topic_group';
  if (speakersFor(tx, sender).some((user) => mayInChannel(tx, user, { channel, name }))) return;
  throw errors.badRequest('You do not have permission to create new topics in this channel.');
}

/** The channel's policy, or the realm's where it inherits (reference/endpoints.md 1.1). */
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

/** Anyone may mention a few; many are mentioned by those whom the organization lets. */
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

/** A group is mentioned by those whom it lets; the groups of every realm let nobody. */
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
