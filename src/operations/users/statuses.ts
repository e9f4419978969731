import type { UserStatusRow } from '../../../storage/tables/people/presences.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import { isPresenceEnabled } from '../../domain/rules/people/users.ts';
import { emojiForClients } from '../../domain/rules/texts/aliases.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import type { Made, userStatus } from '../../domain/wire/objects.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { whoSees } from '../access/user-visibility.ts';
import * as emoji from '../rendering/emoji.ts';

/** The requested status; missing fields stay. */
export interface StatusChange {
  readonly status_text?: string | undefined;
  /** Empty clears the emoji; code and type have no meaning then. */
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
}

const NO_STATUS: UserStatusRow = { text: '', emoji: null };

/**
 * Sets the given fields of a user's status, and announces the changes to users who may know of
 * them.
 */
export function set(
  tx: RealmTransaction,
  user: UserRow,
  { change, settings }: { change: StatusChange; settings: ServerSettings },
) {
  refuseIncomplete(change);
  const before = tx.userStatuses.get([user.id]) ?? NO_STATUS;
  const after = {
    text: change.status_text ?? before.text,
    emoji: changedEmoji(tx, before.emoji, { change, settings }),
  };
  if (after.text === '' && after.emoji === null) tx.userStatuses.remove([user.id]);
  else tx.userStatuses.put([user.id], after);
  const changed = {
    ...(after.text === before.text ? {} : { status_text: after.text }),
    ...(isSameEmoji(after.emoji, before.emoji) ? {} : emojiFields(after.emoji, settings)),
  };
  if (Object.keys(changed).length === 0) return;
  tx.emit({
    event: { type: 'user_status', user_id: user.id, ...changed },
    audience: whoSees(tx, user),
  });
}

/** Returns a status with only the keys that are set (reference/endpoints.md 1.8). */
export function statusObject(
  tx: Reads,
  user: UserRow,
  settings: ServerSettings,
): Made<typeof userStatus> {
  const { text, emoji } = tx.userStatuses.get([user.id]) ?? NO_STATUS;
  return {
    ...(isPresenceEnabled(user) ? {} : { away: true as const }),
    ...(text === '' ? {} : { status_text: text }),
    ...(emoji === null ? {} : wireEmoji(emoji, settings)),
  };
}

/** Announces the whole status of an account that becomes visible, or is reactivated. */
export function announceWhole(
  tx: RealmTransaction,
  user: UserRow,
  { site, audience = whoSees(tx, user) }: { site: Site; audience?: Audience },
) {
  const status = user.botType === null ? statusObject(tx, user, site.settings) : {};
  if (Object.keys(status).length === 0) return;
  tx.emit({
    event: { type: 'user_status', user_id: user.id, ...status },
    audience,
  });
}

function refuseIncomplete({ status_text, emoji_name, emoji_code, reaction_type }: StatusChange) {
  if (emoji_name === undefined && (emoji_code || reaction_type)) {
    throw errors.badRequest(
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    );
  }
  if (status_text === undefined && emoji_name === undefined) {
    throw errors.badRequest('Client did not pass any new values.');
  }
}

function changedEmoji(
  tx: Reads,
  before: UserStatusRow['emoji'],
  { change, settings }: { change: StatusChange; settings: ServerSettings },
) {
  const { emoji_name: name, emoji_code, reaction_type } = change;
  if (name === undefined) return before;
  if (name === '') return null;
  // Clients send them empty with an empty name; with another name an empty code or type counts as
  // missing.
  const type = reaction_type ? emoji.typeNamed(reaction_type, settings) : undefined;
  return emoji.find(tx, { name, code: emoji_code || undefined, type }, settings);
}

const isSameEmoji = (one: UserStatusRow['emoji'], other: UserStatusRow['emoji']) =>
  one?.name === other?.name && one?.code === other?.code && one?.type === other?.type;

const emojiFields = (emoji: UserStatusRow['emoji'], settings: ServerSettings) =>
  emoji === null
    ? { emoji_name: '', emoji_code: '', reaction_type: '' as const }
    : wireEmoji(emoji, settings);

const wireEmoji = ({ name, code, type }: emoji.Emoji, { aliasPrefix }: ServerSettings) =>
  emojiForClients({ emoji_name: name, emoji_code: code, reaction_type: type }, aliasPrefix);
