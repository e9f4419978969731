import type { MessageEditRow } from '../../../storage/tables/messages/edits.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import {
  EDITS_IN_HISTORY_LENGTH_MAX,
  EDITS_IN_MESSAGE_LENGTH_MAX,
} from '../../domain/limits/messages.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../domain/rules/messages/topic.ts';
import { htmlDiff } from '../../domain/rules/texts/html-diff.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { RealmSettings } from '../../domain/wire/settings/realm-settings.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { readable } from './message-access.ts';

/** Returns the fields of a message object about its changes; none if it was never changed. */
export function editFields(tx: Reads, row: MessageRow): EditFields {
  if (!row.hasEdits) return {};
  const history = newestEntries(tx, row, EDITS_IN_MESSAGE_LENGTH_MAX).entries;
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

/** A change of a message, as in the message object. */
export interface EditEntry {
  readonly prev_content?: string;
  readonly prev_rendered_content?: string;
  readonly [field: string]: unknown;
}

export interface HistoryRequest {
  readonly messageId: number;
  readonly allowEmptyTopicName: boolean;
}

/**
 * Returns the states of a message, oldest first (reference/endpoints.md 2.1): as it was sent, and
 * the newest changes. All of them are included unless they exceed the size of an answer.
 */
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
  // The loop goes from the present message back to its beginning.
  let state: State = row;
  const entries: HistoryEntry[] = [];
  const newest = newestEntries(tx, row, EDITS_IN_HISTORY_LENGTH_MAX);
  for (const edit of newest.entries) {
    entries.push({
      ...stateFields(state, named),
      timestamp: edit.at,
      user_id: edit.userId,
      ...contentChange(edit, state.renderedContent),
      ...placeChange(edit, named),
    });
    state = stateBefore(state, edit);
  }
  if (!newest.isWhole) state = stateAsSent(tx, row, state);
  entries.push({
    ...stateFields(state, named),
    timestamp: row.sentAt,
    user_id: row.senderId,
  });
  return entries.reverse();
}

type State = Pick<MessageRow, 'content' | 'renderedContent' | 'topic'>;

const stateBefore = (state: State, { before }: MessageEditRow): State => ({
  content: before.content ?? state.content,
  renderedContent: before.renderedContent ?? state.renderedContent,
  topic: before.topic ?? state.topic,
});

/**
 * Reconstructs the message as it was sent from its oldest changes. Fields that those do not
 * mention, within the limit, are taken from `state`.
 */
function stateAsSent(tx: Reads, row: MessageRow, state: State): State {
  const policy = realmSetting(tx, 'message_edit_history_visibility_policy');
  let { content, renderedContent, topic }: Partial<State> = {};
  let length = 0;
  for (const [, stored] of tx.messageEdits.under([row.id])) {
    length += lengthOf(stored);
    if (length > EDITS_IN_HISTORY_LENGTH_MAX) break;
    const before = shown(stored, policy)?.before ?? {};
    content ??= before.content;
    renderedContent ??= before.renderedContent;
    topic ??= before.topic;
    if (content !== undefined && topic !== undefined) break;
  }
  return {
    content: content ?? state.content,
    renderedContent: renderedContent ?? state.renderedContent,
    topic: topic ?? state.topic,
  };
}

const stateFields = (
  { content, renderedContent, topic }: State,
  named: (topic: string) => string,
) => ({ content, rendered_content: renderedContent, topic: named(topic) }) as const;

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

/**
 * Returns the newest changes that the organization shows, newest first, up to the limit of length.
 */
function newestEntries(
  tx: Reads,
  { id, hasEdits }: MessageRow,
  lengthMax: number,
): { readonly entries: readonly MessageEditRow[]; readonly isWhole: boolean } {
  const policy = realmSetting(tx, 'message_edit_history_visibility_policy');
  const entries: MessageEditRow[] = [];
  if (!hasEdits || policy === 'none') return { entries, isWhole: true };
  let length = 0;
  for (const [, stored] of tx.messageEdits.under([id], { isReverse: true })) {
    if (length > lengthMax) return { entries, isWhole: false };
    length += lengthOf(stored);
    const edit = shown(stored, policy);
    if (edit !== undefined) entries.push(edit);
  }
  return { entries, isWhole: true };
}

/** Characters of a change in an answer besides its texts. */
const ENTRY_LENGTH = 200;

const lengthOf = ({ before: { content = '', renderedContent = '' } }: MessageEditRow) =>
  ENTRY_LENGTH + content.length + renderedContent.length;

/** Returns the part of a change that is public under the organization's policy. */
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
