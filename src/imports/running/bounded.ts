import { DIRECT_RECIPIENTS_MAX } from '../../domain/limits/messages.ts';
import { keyed } from '../../operations/importing/imported-ids.ts';
import type { ImportedPermissions } from '../../operations/importing/permissions.ts';
import type {
  HistoryChannel,
  HistoryGroup,
  HistoryMessage,
  HistoryReaction,
  HistoryUser,
} from '../history.ts';

/** Characters of a name or a description; what is stored is shorter. */
const NAME_MAX = 1_000;
const DESCRIPTION_MAX = 10_000;
const EMAIL_MAX = 500;
/** Reactions of one message, each of one person. */
const REACTIONS_MAX = 5_000;

/**
 * Cuts a row of people and channels to what the server may be sent, which reads a step as a whole.
 * Ids that are too long for a key are hashed here, as the server would do.
 */
export function bounded<Row extends HistoryUser | HistoryGroup | HistoryChannel>(row: Row): Row {
  return { ...row, ...(row.kind === 'user' ? ofUser(row) : ofPlace(row)) };
}

const ofUser = ({ id, name, email, timezone }: HistoryUser): Partial<HistoryUser> => ({
  id: keyed(id),
  name: name.slice(0, NAME_MAX),
  ...(email === undefined ? {} : { email: email.slice(0, EMAIL_MAX) }),
  ...(timezone === undefined ? {} : { timezone: timezone.slice(0, NAME_MAX) }),
});

const ofPlace = (row: HistoryGroup | HistoryChannel): object => ({
  id: keyed(row.id),
  name: row.name.slice(0, NAME_MAX),
  description: row.description.slice(0, DESCRIPTION_MAX),
  ...(row.kind === 'group' ? { members: row.members.map(keyed) } : {}),
  ...(row.permissions !== undefined ? { permissions: boundedPermissions(row.permissions) } : {}),
  ...(row.kind === 'channel' && row.creator !== undefined ? { creator: keyed(row.creator) } : {}),
  ...(row.kind === 'channel' ? { subscribers: row.subscribers.map(keyed) } : {}),
  ...(row.kind === 'channel' && row.looks !== undefined
    ? { looks: new Map(Array.from(row.looks, ([user, look]) => [keyed(user), look])) }
    : {}),
  ...(row.kind === 'channel' && row.readUntil !== undefined
    ? { readUntil: new Map(Array.from(row.readUntil, ([user, until]) => [keyed(user), until])) }
    : {}),
});

const boundedPermissions = (given: ImportedPermissions): ImportedPermissions =>
  Object.fromEntries(
    Object.entries(given).map(([name, { users, groups }]) => [
      name,
      { users: keyedIds(users), groups: keyedIds(groups) },
    ]),
  );

/** People and groups of one permission: the server is sent all that somebody has named. */
const PERMITTED_MAX = 200;
const keyedIds = (ids: readonly string[]): string[] => ids.slice(0, PERMITTED_MAX).map(keyed);

/** Returns the first reactions of a message, and how many more it has. */
export function boundedReactions(reactions: readonly HistoryReaction[]) {
  const kept: HistoryReaction[] = [];
  let count = 0;
  for (const { emoji, users } of reactions) {
    const room = Math.max(0, REACTIONS_MAX - count);
    if (room > 0) kept.push({ emoji, users: users.slice(0, room) });
    count += users.length;
  }
  return { kept, dropped: Math.max(0, count - REACTIONS_MAX) };
}

/** Returns why a message cannot be taken, as it is too large; undefined if it can. */
export const tooLarge = ({ to }: Pick<HistoryMessage, 'to'>): string | undefined =>
  'direct' in to && to.direct.length > DIRECT_RECIPIENTS_MAX + 1
    ? `More than ${DIRECT_RECIPIENTS_MAX} people are part of it.`
    : undefined;
