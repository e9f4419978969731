import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  acceptableTopic,
  isResolvedEmpty,
  resolution,
  topicKey,
} from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Attachment } from '../../domain/wire/personal-objects.ts';
import { isAdministrator, isModerator } from '../../domain/wire/roles.ts';
import type { ChannelPermissionName } from '../../domain/wire/settings/permission-settings.ts';
import type { Caller } from '../access/caller.ts';
import { grants, hasContentAccess } from '../access/channel-access.ts';
import { may, mayInChannel, realmSetting } from '../access/groups.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import { readable } from '../indexes/message-access.ts';
import * as linkUnfurls from '../posting/link-unfurls.ts';
import { refuseNewTopic, refuseSpeaking, refuseTopic } from '../posting/sending-rules.ts';
import * as edits from './edits.ts';
import { notifyMove, notifyResolution } from './move-notices.ts';
import * as moves from './moves.ts';
import * as updateEvents from './update-events.ts';

/** A request to change a message (specification, "PATCH /messages/{message_id}"). */
export interface UpdateRequest {
  readonly messageId: number;
  readonly content: string | undefined;
  readonly topic: string | undefined;
  readonly channelId: number | undefined;
  readonly mode: moves.PropagateMode;
  readonly notifiesOldThread: boolean;
  readonly notifiesNewThread: boolean;
  readonly contentHash: string | undefined;
}

/**
 * The rest of a move that is too large for one commit. All of its messages are checked before any
 * is moved (docs/decisions/0036).
 */
export type Rest =
  | { readonly survey: moves.Survey }
  | { readonly move: moves.Move; readonly count: number };

/** The result of a step. */
export interface Progress {
  /** The caller's files that no message links any more. */
  readonly detached: readonly Attachment[];
  /** The rest of the move, if there is one. */
  readonly rest: Rest | undefined;
}

/** Changes a message: its content at once, its place as far as one commit goes. */
export function update(
  tx: RealmTransaction,
  caller: Caller,
  { request, rest }: { request: UpdateRequest; rest: Rest | undefined },
): Progress {
  if (rest === undefined) return begin(tx, caller, { request, survey: undefined });
  if ('survey' in rest) return begin(tx, caller, { request, survey: rest.survey });
  return { rest: proceed(tx, caller, { rest, request }), detached: [] };
}

interface Beginning {
  readonly request: UpdateRequest;
  readonly survey: moves.Survey | undefined;
}

/**
 * Runs a step of the survey. Each step checks all permissions again, so the last one decides on the
 * whole move.
 */
function begin(
  tx: RealmTransaction,
  caller: Caller,
  { request, survey: earlier }: Beginning,
): Progress {
  const { user } = caller;
  const row = readable(tx, user, request.messageId);
  if (request.content !== undefined) edits.refuseEditing(tx, user, row);
  const relocation = relocationOf(row, request);
  refuseNonsense(row, request, relocation);
  edits.refuseMismatch(row, request.contentHash);
  const goal = goalOf(tx, user, { row, relocation });
  if (goal !== undefined) refuseRenaming(tx, user, { row, goal });
  const content =
    request.content === undefined
      ? undefined
      : edits.acceptable(tx, caller, { row, text: request.content });
  const placing = goal && { row, goal, mode: request.mode };
  const survey = placing && surveyOf(tx, user, { ...placing, earlier });
  if (survey !== undefined && survey.nextId !== null) return { rest: { survey }, detached: [] };
  const move = placing && survey && permittedMove(tx, user, { ...placing, ids: survey.ids });
  const edited = content === undefined ? row : edits.writeContent(tx, caller, { row, ...content });
  if (content !== undefined) {
    const pages = content.rendered.pagesToUnfurl;
    linkUnfurls.request(tx, edited, { pages, site: caller.site });
  }
  const change = { before: row, after: edited };
  const detach = () => (content === undefined ? [] : attachmentLinks.change(tx, caller, change));
  if (move === undefined) {
    updateEvents.announceEdit(tx, user, change);
    return { rest: undefined, detached: detach() };
  }
  const changed = content === undefined ? {} : edits.contentFields(row, edited);
  const rest = proceed(tx, caller, { rest: { move, count: 0 }, request, changed });
  return { rest, detached: detach() };
}

interface Step {
  readonly rest: { readonly move: moves.Move; readonly count: number };
  readonly request: UpdateRequest;
  /** Fields that the event has about the content. */
  readonly changed?: object;
}

/**
 * Moves the next messages, even if the user's permissions have changed meanwhile. After the last
 * ones it posts the notices.
 */
function proceed(
  tx: RealmTransaction,
  caller: Caller,
  { rest, request, changed = {} }: Step,
): Rest | undefined {
  const { user } = caller;
  const { move } = rest;
  const before = moves.next(tx, move);
  const { after, seen } = updateEvents.whileSeen(tx, before, () =>
    moves.write(tx, user, { move, before }),
  );
  const left = move.ids.slice(moves.stepLength(move));
  const isLast = left.length === 0;
  const isWhole = isLast && moves.isEmptyFor(tx, user, move.from);
  updateEvents.announceMove(tx, user, { move, before, after, seen, isWhole, changed });
  const count = rest.count + after.length;
  if (!isLast) return { move: { ...move, ids: left }, count };
  if (count > 0) notify(tx, caller, { move, count, isWhole, request });
  return undefined;
}

interface Finished {
  readonly move: moves.Move;
  readonly count: number;
  readonly isWhole: boolean;
  readonly request: UpdateRequest;
}

function notify(tx: RealmTransaction, caller: Caller, { move, count, isWhole, request }: Finished) {
  const to = { channelId: move.to.channelId, topic: moves.newTopic(move) };
  if (isOneTopic(move)) return;
  if (move.resolution !== null) {
    notifyResolution(tx, caller, { at: to, resolution: move.resolution });
  }
  notifyMove(tx, caller, {
    move,
    count,
    isWhole,
    toOld: request.notifiesOldThread,
    // A notice is "not triggered by a pure resolve/unresolve".
    toNew: request.notifiesNewThread && move.resolution === null,
  });
}

/** Tells whether both names are spellings of one topic, so that there is no move to tell of. */
const isOneTopic = ({ from, to }: Pick<moves.Move, 'from' | 'to'>) =>
  from.channelId === to.channelId && topicKey(from.topic) === topicKey(to.topic ?? from.topic);

/** The channel and topic that a request names; undefined for what stays as it is. */
interface Relocation {
  readonly topic: string | undefined;
  readonly channelId: number | undefined;
}

function relocationOf(row: MessageRow, { topic, channelId }: UpdateRequest): Relocation {
  const name = topic === undefined ? undefined : acceptableTopic(topic);
  return {
    topic: name === row.topic ? undefined : name,
    channelId: channelId === row.channelId ? undefined : channelId,
  };
}

function refuseNonsense(row: MessageRow, request: UpdateRequest, relocation: Relocation) {
  const { content } = request;
  const isMove = relocation.topic !== undefined || relocation.channelId !== undefined;
  if (content === undefined && !isMove) throw errors.badRequest('Nothing to change');
  if (row.channelId === null) {
    if (relocation.topic !== undefined)
      throw errors.badRequest('Direct messages cannot have topics.');
    if (relocation.channelId !== undefined) {
      throw errors.badRequest('Direct messages cannot be moved to channels.');
    }
  }
  if (request.mode !== 'change_one' && !isMove) {
    throw errors.badRequest('Invalid propagate_mode without topic edit');
  }
  if (relocation.topic !== undefined && isResolvedEmpty(relocation.topic)) {
    throw errors.badRequest('General chat cannot be marked as resolved');
  }
  if (content !== undefined && relocation.channelId !== undefined) {
    throw errors.badRequest('Cannot change message content while changing channel');
  }
  if (content !== undefined && row.hasSubmessages) {
    throw errors.badRequest('Widgets cannot be edited.');
  }
}

/** The target of a move. */
interface Goal {
  readonly source: ChannelRow;
  readonly target: ChannelRow;
  readonly topic: string;
  readonly isRenamed: boolean;
  readonly resolution: 'resolved' | 'unresolved' | null;
}

interface Aim {
  readonly row: MessageRow;
  readonly relocation: Relocation;
}

function goalOf(tx: RealmTransaction, user: UserRow, { row, relocation }: Aim): Goal | undefined {
  if (row.channelId === null) return undefined;
  if (relocation.topic === undefined && relocation.channelId === undefined) return undefined;
  const source = tx.channels.get([row.channelId]);
  const target = tx.channels.get([relocation.channelId ?? row.channelId]);
  if (source === undefined || target === undefined) throw errors.invalidChannelId();
  const subscription = tx.subscriptions.get([target.id, user.id]);
  const isFar = target.id !== source.id;
  if (isFar && !hasContentAccess(tx, { user, channel: target, subscription })) {
    throw errors.invalidChannelId();
  }
  const topic = relocation.topic ?? row.topic;
  const isRenamed = relocation.topic !== undefined;
  const change = isRenamed && !isFar ? resolution(row.topic, topic) : null;
  return { source, target, topic, isRenamed, resolution: change };
}

interface Placing {
  readonly row: MessageRow;
  readonly goal: Goal;
}

/**
 * Refuses a topic that the policy of the target forbids, and users who may not rename or resolve
 * topics, or not any more.
 */
function refuseRenaming(tx: RealmTransaction, user: UserRow, { row, goal }: Placing) {
  refuseTopic(tx, { channel: goal.target, topic: goal.topic });
  if (!goal.isRenamed) return;
  const inEither = (name: ChannelPermissionName) =>
    [goal.source, goal.target].some((channel) => mayInChannel(tx, user, { channel, name }));
  if (goal.resolution !== null) {
    if (may(tx, user, 'can_resolve_topics_group') || inEither('can_resolve_topics_group')) return;
    throw errors.badRequest("You don't have permission to resolve topics.");
  }
  const mayRename =
    may(tx, user, 'can_move_messages_between_topics_group') ||
    inEither('can_move_messages_within_channel_group') ||
    grants(tx, user, goal.source, ['can_administer_channel_group']) ||
    grants(tx, user, goal.target, ['can_administer_channel_group']) ||
    isAdministrator(user.role);
  if (!mayRename) throw errors.badRequest("You don't have permission to edit this message");
  const limit = realmSetting(tx, 'move_messages_within_stream_limit_seconds');
  if (!isModerator(user.role) && edits.isTooOld(tx, row, limit)) {
    throw errors.badRequest("The time limit for editing this message's topic has passed.");
  }
}

interface PlacingAll extends Placing {
  readonly mode: moves.PropagateMode;
}

function surveyOf(
  tx: RealmTransaction,
  user: UserRow,
  { row, goal, mode, earlier }: PlacingAll & Pick<moves.Surveyed, 'earlier'>,
): moves.Survey {
  const { source: channel, target } = goal;
  const isFar = channel.id !== target.id;
  if (isFar) refuseSending(tx, user, { row, goal });
  return moves.survey(tx, user, { row, channel, mode, isFar, earlier });
}

function permittedMove(
  tx: RealmTransaction,
  user: UserRow,
  { row, goal, mode, ids }: PlacingAll & { ids: readonly number[] },
): moves.Move {
  const { source, target, topic } = goal;
  if (mode === 'change_all') {
    moves.refuseTooOld(tx, user, { ids, limit: strictestLimit(tx, goal) });
  }
  if (goal.resolution === null) refuseNewTopic(tx, user, { channel: target, topic });
  const from = { channelId: source.id, topic: row.topic };
  const to = { channelId: target.id, topic: goal.isRenamed ? topic : null };
  return {
    targetId: row.id,
    mode,
    from,
    to,
    resolution: goal.resolution,
    isMerge:
      !isOneTopic({ from, to }) && !moves.isEmptyFor(tx, user, { channelId: target.id, topic }),
    ids: moves.inOrder(ids, row.id),
  };
}

/**
 * Refuses users who may not move messages out of the channel or into the target, or not any more.
 */
function refuseSending(tx: RealmTransaction, user: UserRow, { row, goal }: Placing) {
  const { source: channel, target } = goal;
  const mayMove =
    may(tx, user, 'can_move_messages_between_channels_group') ||
    mayInChannel(tx, user, { channel, name: 'can_move_messages_out_of_channel_group' }) ||
    grants(tx, user, channel, ['can_administer_channel_group']) ||
    isAdministrator(user.role);
  if (!mayMove) throw errors.badRequest("You don't have permission to move this message");
  refuseSpeaking(tx, user, target);
  const limit = realmSetting(tx, 'move_messages_between_streams_limit_seconds');
  if (!isModerator(user.role) && edits.isTooOld(tx, row, limit)) {
    throw errors.badRequest("The time limit for editing this message's channel has passed");
  }
}

/** Returns the stricter time limit of a move; resolving a topic has none. */
function strictestLimit(tx: RealmTransaction, goal: Goal): number | null {
  const limits = [
    goal.isRenamed && goal.resolution === null
      ? realmSetting(tx, 'move_messages_within_stream_limit_seconds')
      : null,
    goal.source.id === goal.target.id
      ? null
      : realmSetting(tx, 'move_messages_between_streams_limit_seconds'),
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}
