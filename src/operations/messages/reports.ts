import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { MESSAGE_LENGTH_MAX, REPORT_DESCRIPTION_LENGTH_MAX } from '../../domain/limits/messages.ts';
import { isLongerThan, truncateTopic } from '../../domain/rules/messages/topic.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { readable } from '../indexes/message-access.ts';
import * as notices from '../posting/notices.ts';
import { cutAt, linkTo, urlOf } from '../posting/notices.ts';

export const REPORT_TYPES = ['spam', 'harassment', 'inappropriate', 'norms', 'other'] as const;

export interface Report {
  readonly messageId: number;
  readonly type: (typeof REPORT_TYPES)[number];
  readonly description: string;
}

/** Reports a message to the moderators (specification, "POST /messages/{message_id}/report"). */
export function report(
  tx: RealmTransaction,
  { user, site }: Caller,
  { messageId, type, description: given }: Report,
) {
  const description = given.trim();
  if (isLongerThan(description, REPORT_DESCRIPTION_LENGTH_MAX)) {
    throw errors.badRequest(
      `description is too long (limit: ${REPORT_DESCRIPTION_LENGTH_MAX} characters)`,
    );
  }
  if (description === '' && type === 'other') {
    throw errors.badRequest('An explanation is required.');
  }
  const channel = moderationChannel(tx);
  const row = readable(tx, user, messageId);
  const author = tx.users.get([row.senderId]);
  if (author === undefined) throw new Error(`message ${row.id} has no sender`);
  const topic = truncateTopic(`${author.fullName} moderation`);
  notices.toChannel(tx, site, {
    channel,
    isQuoting: true,
    topic: channel.topicsPolicy === 'empty_topic_only' ? '' : topic,
    content: reportText(tx, { user, site, author, row, type, description }),
  });
}

function moderationChannel(tx: Reads): ChannelRow {
  const channel = tx.channels.get([realmSetting(tx, 'moderation_request_channel_id')]);
  if (channel === undefined || channel.isArchived) {
    throw errors.badRequest(
      'Moderation request channel must be specified to enable message reporting.',
    );
  }
  return channel;
}

/** The reasons as moderators read them. */
const REASONS: Readonly<Record<Report['type'], string>> = {
  spam: 'Spam',
  harassment: 'Harassment',
  inappropriate: 'Inappropriate content',
  norms: 'Violates community norms',
  other: 'Other reason',
};

interface ReportText extends Omit<Report, 'messageId'> {
  readonly user: UserRow;
  readonly site: Site;
  readonly author: UserRow;
  readonly row: MessageRow;
}

function reportText(tx: Reads, { user, site, author, row, type, description }: ReportText) {
  const reason = description === '' ? REASONS[type] : `${REASONS[type]}: ${description}`;
  const header = [
    `${notices.silentMention(user)} reported a message sent by ${notices.silentMention(author)}`,
    `${whereOf(tx, row)} at <time:${new Date(row.sentAt * 1000).toISOString()}>.`,
  ].join(' ');
  const parts = [header, fenced(reason, 'quote')];
  const title = `spoiler [Original message](${urlOf(tx, site, row)})`;
  const room = MESSAGE_LENGTH_MAX - [...parts, title].join('\n').length - FENCES_LENGTH_MAX;
  const quoted = fenced(cutAt(row.content, Math.max(room, 0)), 'quote');
  return [...parts, fenced(quoted, title)].join('\n');
}

/** The characters that the fences around the content may take. */
const FENCES_LENGTH_MAX = 200;

function whereOf(tx: Reads, row: MessageRow): string {
  const link = linkTo(tx, row);
  return link === undefined ? 'in a direct message' : `in ${link}`;
}
