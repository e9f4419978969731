import type { UserGroup } from '../generated/api.ts';
import type { Contents } from './contents.ts';
import type { Person } from './objects.ts';

/** Somebody or something that a message can mention. */
export type Mentionable =
  | { readonly kind: 'user'; readonly user: Person; readonly text: string }
  | { readonly kind: 'group'; readonly group: UserGroup; readonly text: string }
  | { readonly kind: 'wildcard'; readonly name: Wildcard; readonly text: string };

/** Everyone in the channel, or everyone who took part in the topic. */
export type Wildcard = 'all' | 'topic';

/** The place where a message is written: people who are there come first. */
interface Written {
  readonly channelId?: number;
  /** How many to return at most. */
  readonly limit?: number;
}

const UNKNOWN_NAME = 'Unknown user';
const LIMIT = 10;
const collator = new Intl.Collator();

/** Returns the name of a user, also of one that is not to be known of. */
export const nameOf = (state: Contents, userId: number): string =>
  state.users.get(userId)?.full_name ?? UNKNOWN_NAME;

/** Returns the names of the other people of a conversation, or the user's own if there are none. */
export function namesOf(state: Contents, userIds: readonly number[]): string {
  const others = userIds.filter((id) => id !== state.ownId);
  const shown = others.length === 0 ? [state.ownId] : others;
  return shown
    .map((id) => nameOf(state, id))
    .sort(collator.compare)
    .join(', ');
}

/** Returns the Markdown that mentions a user; with the id if others have the same name. */
export function mentionOf(state: Contents, { user_id: id, full_name: name }: Person): string {
  for (const other of state.users.values()) {
    if (other.full_name === name && other.user_id !== id) return `@**${name}|${id}**`;
  }
  return `@**${name}**`;
}

/**
 * Returns what a message can mention whose name has a word that begins with these letters, in any
 * case and with any accents: people of the channel, people with whom the user talks, others,
 * wildcards and groups. Among each, names that begin so come first.
 */
export function mentionables(
  state: Contents,
  letters: string,
  { channelId, limit = LIMIT }: Written = {},
): Mentionable[] {
  const sought = plain(letters);
  const found: { readonly rank: number; readonly name: string; readonly one: Mentionable }[] = [];
  const offer = (name: string, rank: number, one: Mentionable) => {
    const begins = matchOf(plain(name), sought);
    if (begins !== undefined) found.push({ rank: rank + begins, name, one });
  };
  const here = new Set(channelId === undefined ? [] : state.subscribers.get(channelId));
  const talkedTo = new Set([...state.conversations.values()].flatMap(({ userIds }) => userIds));
  for (const user of state.users.values()) {
    const { user_id: id } = user;
    if (!user.is_active || state.mutedUsers.has(id)) continue;
    const rank = here.has(id) ? 0 : talkedTo.has(id) ? 2 : 4;
    offer(user.full_name, rank, { kind: 'user', user, text: '' });
  }
  if (channelId !== undefined) {
    offer('all', 6, { kind: 'wildcard', name: 'all', text: '@**all**' });
    offer('topic', 6, { kind: 'wildcard', name: 'topic', text: '@**topic**' });
  }
  for (const group of state.groups.values()) {
    if (group.deactivated || group.is_system_group) continue;
    offer(group.name, 8, { kind: 'group', group, text: `@*${group.name}*` });
  }
  return found
    .sort((one, other) => one.rank - other.rank || collator.compare(one.name, other.name))
    .slice(0, limit)
    .map(({ one }) => (one.kind === 'user' ? { ...one, text: mentionOf(state, one.user) } : one));
}

/** Returns 0 if the name begins so, 1 if a later word does, and undefined if none does. */
function matchOf(name: string, sought: string): 0 | 1 | undefined {
  if (name.startsWith(sought)) return 0;
  return name.includes(` ${sought}`) ? 1 : undefined;
}

const plainNames = new Map<string, string>();
/** Names of a large organization; more than that, and the map begins again. */
const PLAIN_NAMES_MAX = 50_000;

/** Returns letters without case and accents. They are kept: each key that is pressed needs all. */
function plain(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const made = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (plainNames.size >= PLAIN_NAMES_MAX) plainNames.clear();
  plainNames.set(name, made);
  return made;
}
