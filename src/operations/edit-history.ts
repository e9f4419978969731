import type { MessageEditRow } from '../../storage/tables/message-edits.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { htmlDiff } from '../domain/html-diff.ts';
import type { RealmSettings } from '../domain/realm-settings.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../domain/topic.ts';
import { type Reads, realmSetting } from './groups.ts';
import { readable } from './message-access.ts';

/** What a message object says of its changes; nothing of a message that was never changed. */
export function editFields(tx: Reads, row: MessageRow): EditFields {
  if (!row.hasEdits) return {};
  const history = entriesOf(tx, row).toReversed();
  return {
    ...(row.lastEditedAt === null ? {} : { last_edit_timestamp: row.lastEditedAt }),
    ...(row.lastMovedAt === null ? {} : { last_moved_timestamp: row.lastMovedAt }),
    ...(history.length === 0 ? {} : { edit_history: history.map(entryObject) }),
  };
}

export interface EditFields {
  readonly last_edit_timestamp?: number;
  readonly last_moved_timestamp?: number;
  /** Newest first. */
  readonly edit_history?: readonly EditEntry[];
}

/** A change of a message, as the message tells of it. */
export interface EditEntry {
  readonly prev_content?: string;
  readonly prev_rendered_content?: string;
  readonly [field: string]: unknown;
}

export interface HistoryRequest {
  readonly messageId: number;
  readonly allowEmptyTopicName: boolean;
}

/** Every state of a message, oldest first (reference/endpoints.md 2.1). */
export function historyOf(
  tx: Reads,
  user: UserRow,
  { messageId, allowEmptyTopicName }: HistoryRequest,
): HistoryEntry[] {
  if (realmSetting(tx, 'message_edit_history_visibility_policy') === 'none') {
    throw errors.badRequest('Message edit history is disabled in this organization');
  }
  const row = readable(tx, user, messageId);
  const named = (topic: string) =>
    topic === '' && row.channelId !== null && !allowEmptyTopicName
      ? EMPTY_TOPIC_DISPLAY_NAME
      : topic;
  // From the message as it is, back to how it began.
  let { content, renderedContent, topic } = row;
  const entries: HistoryEntry[] = [];
  for (const edit of entriesOf(tx, row).toReversed()) {
    entries.push({
      content,
      rendered_content: renderedContent,
      topic: named(topic),
      timestamp: edit.at,
      user_id: edit.userId,
      ...contentChange(edit, renderedContent),
      ...placeChange(edit, named),
    });
    content = edit.before.content ?? content;
    renderedContent = edit.before.renderedContent ?? renderedContent;
    topic = edit.before.topic ?? topic;
  }
  entries.push({
    content,
    rendered_content: renderedContent,
    topic: named(topic),
    timestamp: row.sentAt,
    user_id: row.senderId,
  });
  return entries.reverse();
}

export interface HistoryEntry {
  readonly content: string;
  readonly rendered_content: string;
  readonly topic: string;
  readonly timestamp: number;
  readonly user_id: number;
  readonly prev_content?: string;
  readonly prev_rendered_content?: string;
  readonly content_html_diff?: string;
  readonly prev_topic?: string;
  readonly prev_stream?: number;
  readonly stream?: number;
}

/** The changes that the organization shows, oldest first. */
function entriesOf(tx: Reads, { id, hasEdits }: MessageRow): MessageEditRow[] {
  const policy = realmSetting(tx, 'message_edit_history_visibility_policy');
  if (!hasEdits || policy === 'none') return [];
  return [...tx.messageEdits.under([id])].flatMap(([, edit]) => shown(edit, policy) ?? []);
}

/** What of a change is shown to anybody where the organization has this policy. */
export function shown(edit: MessageEditRow, policy: EditHistoryPolicy): MessageEditRow | undefined {
  if (policy === 'all') return edit;
  return policy === 'moves' && isMove(edit) ? withoutContent(edit) : undefined;
}

export type EditHistoryPolicy = RealmSettings['message_edit_history_visibility_policy'];

const isMove = ({ before }: MessageEditRow) =>
  before.topic !== undefined || before.channelId !== undefined;

function withoutContent(edit: MessageEditRow): MessageEditRow {
  const { content: _, renderedContent: __, ...before } = edit.before;
  return { ...edit, before };
}

const entryObject = ({ userId, at, before, after }: MessageEditRow): EditEntry => ({
  user_id: userId,
  timestamp: at,
  ...(before.content === undefined ? {} : { prev_content: before.content }),
  ...(before.renderedContent === undefined
    ? {}
    : { prev_rendered_content: before.renderedContent }),
  ...(before.channelId === undefined
    ? {}
    : { prev_stream: before.channelId, stream: after.channelId }),
  ...(before.topic === undefined ? {} : { prev_topic: before.topic, topic: after.topic }),
});

const contentChange = ({ before }: MessageEditRow, renderedContent: string) =>
  before.content === undefined || before.renderedContent === undefined
    ? {}
    : {
        prev_content: before.content,
        prev_rendered_content: before.renderedContent,
        content_html_diff: htmlDiff(before.renderedContent, renderedContent),
      };

const placeChange = ({ before, after }: MessageEditRow, named: (topic: string) => string) => ({
  ...(before.topic === undefined ? {} : { prev_topic: named(before.topic) }),
  ...(before.channelId === undefined || after.channelId === undefined
    ? {}
    : { prev_stream: before.channelId, stream: after.channelId }),
});
