import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EMOJI_PER_MESSAGE_MAX } from '../../domain/limits/messages.ts';
import { emojiForClients } from '../../domain/rules/texts/aliases.ts';
import { inside } from '../../domain/rules/texts/emoji.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { reactionType } from '../../domain/wire/objects.ts';
import type { Caller, Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { ownBitsOf } from '../indexes/flag-reads.ts';
import { readable, received } from '../indexes/message-access.ts';
import { whoSees } from '../indexes/message-audience.ts';
import { setFlags } from '../indexes/message-flags.ts';
import { reactor } from '../indexes/reaction-reads.ts';
import * as topicParticipants from '../indexes/topic-participants.ts';
import * as userTopics from '../indexes/user-topics.ts';
import type { Emoji, ReactionType } from '../rendering/emoji.ts';
import * as emoji from '../rendering/emoji.ts';

/** An emoji as a client names it: by name, by code, or both. */
interface Named<Name> {
  readonly messageId: number;
  readonly name: Name;
  readonly code: string | undefined;
  readonly type: ReactionType | undefined;
}

/**
 * Adds a reaction (specification, "POST /messages/{message_id}/reactions"). A code that is in use
 * on the message joins that reaction under its name, which may come from an older list.
 */
export function add(tx: RealmTransaction, { user, site }: Caller, request: Named<string>) {
  const row = readable(tx, user, request.messageId);
  const named = emoji.byName(tx, request, site.settings);
  const requestedCode = request.code ?? named?.code;
  const type = request.type ?? named?.type ?? typeInUse(tx, row.id, requestedCode);
  if (requestedCode === undefined || type === undefined) throw noSuchEmoji(request.name);
  const given = { name: request.name, code: requestedCode, type };
  const { name: today, code } = inside(given, site.settings.aliasPrefix);
  const earlier = nameInUse(tx, row.id, { code, type });
  if (tx.reactions.has([row.id, type, code, user.id])) throw errors.reactionAlreadyExists();
  if (earlier === undefined) {
    emoji.refuseMismatch(tx, { name: today, code, type });
    refuseTooMany(tx, row.id);
  }
  const name = earlier ?? today;
  tx.reactions.put([row.id, type, code, user.id], { emojiName: name, eventId: tx.head() + 1 });
  if (!row.hasReactions) mark(tx, row, true);
  topicParticipants.addReaction(tx, row, user.id);
  keepCopy(tx, user, row);
  announce(tx, { user, site, row, op: 'add', emoji: { name, code, type } });
  if (row.channelId !== null) {
    const { channelId, topic } = row;
    userTopics.follow(tx, user, { channelId, topic, reason: 'participated' });
  }
}

/** Removes a reaction of the caller. */
export function remove(
  tx: RealmTransaction,
  { user, site }: Caller,
  request: Named<string | undefined>,
) {
  const row = readable(tx, user, request.messageId);
  const own = ownReaction(tx, user, { row, request, site });
  if (own === undefined) throw errors.reactionDoesNotExist();
  tx.reactions.remove([row.id, own.type, own.code, user.id]);
  topicParticipants.removeReaction(tx, row, user.id);
  const isLast = tx.reactions.keysUnder([row.id], { limit: 1 })[Symbol.iterator]().next().done;
  if (isLast) mark(tx, row, false);
  announce(tx, { user, site, row, op: 'remove', emoji: own });
}

/**
 * Stores in the row of a message whether it has reactions, so that readers of the row need no
 * look-up.
 */
export function mark(tx: RealmTransaction, row: MessageRow, hasReactions: boolean) {
  const marked = { ...row, hasReactions };
  contentIndex.noteChange(tx, row, marked);
  tx.messages.put([row.id], marked);
}

/** Removes all reactions to a message that is deleted. */
export function removeAll(tx: RealmTransaction, messageId: number) {
  for (const key of [...tx.reactions.keysUnder([messageId])]) tx.reactions.remove(key);
}

const noSuchEmoji = (name: string) => errors.badRequest(`Emoji '${name}' does not exist`);

/**
 * Returns the type of a code in use on the message ("`emoji_code`: needed to join an earlier
 * reaction made under an older emoji mapping"); the name may mean nothing today.
 */
const typeInUse = (
  tx: Reads,
  messageId: number,
  code: string | undefined,
): ReactionType | undefined =>
  code === undefined
    ? undefined
    : reactionType.options.find((type) => nameInUse(tx, messageId, { code, type }) !== undefined);

function nameInUse(
  tx: Reads,
  messageId: number,
  { code, type }: Pick<Emoji, 'code' | 'type'>,
): string | undefined {
  const used = tx.reactions.under([messageId, type, code], { limit: 1 });
  for (const [, { emojiName }] of used) return emojiName;
  return undefined;
}

/** Refuses one emoji too many. Seeks from emoji to emoji, past the users of each. */
function refuseTooMany(tx: Reads, messageId: number) {
  let start: readonly (string | number)[] = [messageId];
  for (let count = 0; count < EMOJI_PER_MESSAGE_MAX; count++) {
    const end = [messageId + 1];
    const next = tx.reactions.keys({ start, end, limit: 1 })[Symbol.iterator]().next();
    if (next.done) return;
    const [, type, code] = next.value;
    start = [messageId, type, code, Number.MAX_SAFE_INTEGER];
  }
  throw errors.badRequest(
    `A message can have at most ${EMOJI_PER_MESSAGE_MAX} different reactions.`,
  );
}

/**
 * Gives the user a copy of the message ("reacting may also create a personal copy (flags `read`,
 * `historical`)").
 */
function keepCopy(tx: RealmTransaction, user: UserRow, row: MessageRow) {
  if (received(tx, user.id, row)) return;
  const bits = ownBitsOf(tx, user.id, row.id);
  setFlags(tx, user.id, row.id, bits | FlagBit.read | FlagBit.historical);
}

interface OwnReaction {
  readonly row: MessageRow;
  readonly request: Named<string | undefined>;
  readonly site: Site;
}

/**
 * Finds the reaction of the user: by its code, or without one by its name, as it was at the time or
 * as it is today.
 */
function ownReaction(
  tx: Reads,
  user: UserRow,
  { row, request, site }: OwnReaction,
): Emoji | undefined {
  const { name, code, type } = request;
  if (code !== undefined) {
    const given = { name: name ?? code, code, type: type ?? 'unicode_emoji' } as const;
    return ownByCode(tx, user, { row, ...inside(given, site.settings.aliasPrefix) });
  }
  if (name === undefined) {
    throw errors.badRequest(
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    );
  }
  for (const [[, usedType, usedCode, userId], { emojiName }] of tx.reactions.under([row.id])) {
    if (userId !== user.id || emojiName !== name) continue;
    if (type === undefined || type === usedType) return { name, code: usedCode, type: usedType };
  }
  const today = emoji.byName(tx, { name, type }, site.settings);
  if (today === undefined) throw noSuchEmoji(name);
  return ownByCode(tx, user, { row, ...today });
}

function ownByCode(
  tx: Reads,
  user: UserRow,
  { row, code, type }: { row: MessageRow; code: string; type: ReactionType },
): Emoji | undefined {
  const own = tx.reactions.get([row.id, type, code, user.id]);
  return own && { name: own.emojiName, code, type };
}

interface Announcement {
  readonly user: UserRow;
  readonly site: Site;
  readonly row: MessageRow;
  readonly op: 'add' | 'remove';
  readonly emoji: Emoji;
}

function announce(tx: RealmTransaction, { user, site, row, op, emoji: used }: Announcement) {
  tx.emit({
    event: {
      type: 'reaction',
      op,
      message_id: row.id,
      user_id: user.id,
      ...emojiForClients(
        { emoji_name: used.name, emoji_code: used.code, reaction_type: used.type },
        site.settings.aliasPrefix,
      ),
      user: reactor(user, site.host),
    },
    audience: whoSees(tx, row),
  });
}
