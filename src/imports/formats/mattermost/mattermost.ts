import { ArchiveError } from '../../../archives/archive-error.ts';
import {
  type HistoryChannel,
  type HistoryFormat,
  type HistoryRow,
  type HistoryUser,
  skipped,
} from '../../history.ts';
import { type JsonLine, JsonStreamError, jsonLines } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { type Bound, conversationMap, peopleMap, subscriptionBound } from '../shared/bounds.ts';
import {
  type Fields,
  firstText,
  partOf,
  partsOf,
  secondsOfMs,
  textOf,
  textsOf,
} from '../shared/fields.ts';
import { SeenIds } from '../shared/seen.ts';
import { subscribed } from '../shared/subscribed.ts';
import { ThreadTopics } from '../shared/topics.ts';
import { fileAt } from './files.ts';
import { type PostContext, peopleKey, postRows } from './posts.ts';

/**
 * The bulk export of Mattermost: one file of JSON lines, whose objects name each other by user
 * name, team and channel name, and its files in a folder `data`.
 */
export const mattermost: HistoryFormat = { name: 'mattermost', read };

async function* read(archive: ArchiveSource): AsyncGenerator<HistoryRow> {
  const entry = lineFileOf(archive);
  const directory: Directory = {
    users: peopleMap(),
    channels: conversationMap(),
    subscriptions: subscriptionBound(),
    teams: new Map(),
    emoji: [],
    conversations: conversationMap(),
  };
  yield* readDirectory(archive, entry, directory);
  const { users, channels, teams, emoji } = directory;
  if (users.size === 0) {
    throw new ArchiveError(`${entry} is no bulk export of Mattermost: it has no user.`);
  }
  yield* [...users.values()].map(({ row }) => row);
  yield* channelsWith(users, channels, teams);
  yield* emoji;
  const posts: PostContext = {
    archive,
    entry,
    users: new Set(users.keys()),
    channels: new Set(channels.keys()),
    conversations: directory.conversations,
    topics: new ThreadTopics(),
    seen: new SeenIds(),
  };
  for await (const line of linesOf(archive, entry)) {
    const place = { file: entry, row: String(line.line) };
    if ('value' in line) yield* postRows(posts, partOf(line.value), place);
  }
}

/** Reads lines, and gives what is behind a damage as one that is left out. */
async function* linesOf(archive: ArchiveSource, entry: string): AsyncGenerator<JsonLine> {
  let last = 0;
  try {
    for await (const line of jsonLines(await archive.open(entry))) {
      last = line.line;
      yield line;
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    yield { line: last + 1, why: error.message };
  }
}

/** The export has one such file, `import.jsonl` or of another name, beside its folder `data`. */
function lineFileOf(archive: ArchiveSource): string {
  const entry = archive
    .names()
    .filter((name) => name.endsWith('.jsonl'))
    .sort((one, other) => one.split('/').length - other.split('/').length)[0];
  if (entry === undefined) {
    throw new ArchiveError('This is no bulk export of Mattermost: it has no file .jsonl.');
  }
  return entry;
}

interface KnownUser {
  readonly row: HistoryUser;
  readonly channels: readonly { readonly id: string; readonly readUntil: number | null }[];
}

interface Directory {
  readonly users: Map<string, KnownUser>;
  readonly channels: Map<string, HistoryChannel>;
  /** Names that people see, by name. */
  readonly teams: Map<string, string>;
  readonly emoji: HistoryRow[];
  /** The times (UNIX seconds) until which people have read a direct conversation, by its people. */
  readonly conversations: Map<string, ReadonlyMap<string, number>>;
  readonly subscriptions: Bound;
}

const READ_LATER: ReadonlySet<string> = new Set(['post', 'direct_post']);
const KNOWN: ReadonlySet<string> = new Set(['user', 'team', 'channel', 'emoji', 'bot']);
const HAS_NO_ROW: ReadonlySet<string> = new Set(['version', 'scheme', 'role']);

async function* readDirectory(
  archive: ArchiveSource,
  entry: string,
  directory: Directory,
): AsyncGenerator<HistoryRow> {
  for await (const line of linesOf(archive, entry)) {
    const place = { file: entry, row: String(line.line) };
    if ('why' in line) {
      yield skipped('line', place, line.why);
      continue;
    }
    const fields = partOf(line.value);
    const type = textOf(fields['type']);
    if (READ_LATER.has(type) || HAS_NO_ROW.has(type)) continue;
    if (type === 'direct_channel') {
      noteConversation(directory, partOf(fields[type]));
      continue;
    }
    const why = takeInto(directory, { archive, entry }, type, partOf(fields[type]));
    if (why !== null) yield skipped(KNOWN.has(type) ? type : 'line', place, why);
    else if (lacksAvatar({ archive, entry }, partOf(fields[type]))) {
      const name = textOf(partOf(fields[type])['username']).slice(0, 200);
      yield skipped('avatar', place, 'Its image is not in the archive.', { name });
    }
  }
}

/** Notes who has read a conversation until when, of whom the export says it. */
function noteConversation({ conversations }: Directory, conversation: Fields): void {
  const times = new Map<string, number>();
  for (const { username, last_viewed_at: viewedAt } of partsOf(conversation['participants'])) {
    const readUntil = secondsOfMs(viewedAt);
    if (readUntil !== null) times.set(textOf(username), readUntil);
  }
  if (times.size > 0) conversations.set(peopleKey(textsOf(conversation['members'])), times);
}

/** Returns why a line is not taken, or null. */
function takeInto(
  { users, channels, teams, emoji, subscriptions }: Directory,
  place: { archive: ArchiveSource; entry: string },
  type: string,
  fields: Fields,
): string | null {
  const name = textOf(type === 'user' ? fields['username'] : fields['name']);
  if (!KNOWN.has(type)) return 'Its type is not known.';
  if (name === '' && type !== 'bot') return 'It has no name.';
  if (type === 'team') teams.set(name, firstText(fields['display_name'], name));
  else if (type === 'user' || type === 'bot') {
    const id = firstText(fields['username'], name);
    if (id === '') return 'It has no name.';
    if (users.has(id)) return 'The user came before.';
    const user = userOf(id, fields, place, type === 'bot');
    subscriptions.add(user.channels.length);
    users.set(id, user);
  } else if (type === 'channel') {
    const id = channelId(fields['team'], name);
    if (channels.has(id)) return 'The channel came before.';
    channels.set(id, channelOf(id, name, fields));
  } else {
    const file = fileAt(place, fields['image'], `${name}.png`);
    if (file === null) return 'Its image is not in the archive.';
    emoji.push({ kind: 'emoji', name, file });
  }
  return null;
}

/** Tests whether the export names the image of a person, and does not have it. */
const lacksAvatar = (place: { archive: ArchiveSource; entry: string }, user: Fields): boolean =>
  textOf(user['profile_image']) !== '' && fileAt(place, user['profile_image']) === null;

/** Names of channels are unique in their team alone. */
export const channelId = (team: unknown, name: string): string => `${textOf(team)}:${name}`;

function userOf(
  id: string,
  user: Fields,
  place: { archive: ArchiveSource; entry: string },
  isBot: boolean,
): KnownUser {
  const email = textOf(user['email']);
  const name = firstText(
    `${textOf(user['first_name'])} ${textOf(user['last_name'])}`,
    user['nickname'],
    user['display_name'],
    id,
  );
  const timezone = partOf(user['timezone']);
  const zone = firstText(
    timezone['useAutomaticTimezone'] === 'false' ? timezone['manualTimezone'] : '',
    timezone['automaticTimezone'],
  );
  const avatar = fileAt(place, user['profile_image'], 'avatar');
  const row: HistoryUser = {
    kind: 'user',
    id,
    name,
    ...(email === '' ? {} : { email }),
    bot: isBot || user['is_bot'] === true,
    active: !(Number(user['delete_at']) > 0),
    role: roleOf(user),
    ...(zone === '' ? {} : { timezone: zone }),
    ...(avatar === null ? {} : { avatar }),
  };
  const channels = partsOf(user['teams']).flatMap((team) =>
    partsOf(team['channels']).map((channel) => ({
      id: channelId(team['name'], textOf(channel['name'])),
      readUntil: secondsOfMs(channel['last_viewed_at']),
    })),
  );
  return { row, channels };
}

function roleOf(user: Fields): HistoryUser['role'] & string {
  const roles = textOf(user['roles']).split(/\s+/);
  const inTeams = partsOf(user['teams']).flatMap((team) => textOf(team['roles']).split(/\s+/));
  if (roles.includes('system_admin')) return 'owner';
  if (inTeams.includes('team_admin')) return 'moderator';
  return roles.includes('system_guest') ? 'guest' : 'member';
}

function channelOf(id: string, name: string, channel: Fields): HistoryChannel {
  return {
    kind: 'channel',
    id,
    name: firstText(channel['display_name'], name),
    description: firstText(channel['purpose'], channel['header']),
    private: textOf(channel['type']) === 'P',
    archived: Number(channel['deleted_at'] ?? channel['delete_at']) > 0,
    subscribers: [],
  };
}

/** Two teams may have channels of one name: those get the name of their team. */
function* channelsWith(
  users: ReadonlyMap<string, KnownUser>,
  channels: ReadonlyMap<string, HistoryChannel>,
  teams: ReadonlyMap<string, string>,
): Generator<HistoryRow> {
  const subscribers = new Map<string, Map<string, number | null>>();
  for (const [user, { channels: held }] of users) {
    for (const { id, readUntil } of held) {
      const known = subscribers.get(id) ?? new Map<string, number | null>();
      subscribers.set(id, known.set(user, readUntil));
    }
  }
  const counts = new Map<string, number>();
  for (const { name } of channels.values()) {
    counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  }
  for (const [id, channel] of channels) {
    const team = id.slice(0, id.indexOf(':'));
    const isShared = (counts.get(channel.name.toLowerCase()) ?? 0) > 1;
    const name = isShared ? `${channel.name} (${teams.get(team) ?? team})` : channel.name;
    yield { ...channel, name, ...subscribed(subscribers.get(id) ?? new Map()) };
  }
}
