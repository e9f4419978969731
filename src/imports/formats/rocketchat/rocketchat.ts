import { ArchiveError } from '../../../archives/archive-error.ts';
import { type HistoryFormat, type HistoryRow, type HistoryUser, skipped } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { peopleMap } from '../shared/bounds.ts';
import {
  type Fields,
  firstText,
  idOf,
  partOf,
  partsOf,
  textOf,
  textsOf,
} from '../shared/fields.ts';
import { Counts, ofService, SeenIds } from '../shared/seen.ts';
import { ThreadTopics } from '../shared/topics.ts';
import { documentsOf, entryOf, secondsOfDate } from './collections.ts';
import { type MessageContext, messageRows } from './messages.ts';
import { channelRow, type Room, Rooms } from './rooms.ts';

/**
 * Collections of the database of Rocket.Chat, as `mongodump` or `mongoexport` write them
 * (docs/decisions/0268).
 */
export const rocketchat: HistoryFormat = { name: 'rocketchat', read };

async function* read(archive: ArchiveSource): AsyncGenerator<HistoryRow> {
  for (const collection of ['users', 'rooms', 'messages'] as const) {
    if (entryOf(archive, collection) !== undefined) continue;
    throw new ArchiveError(
      `This is no dump of Rocket.Chat: it has no file with the collection of ${collection}.`,
    );
  }
  const users = peopleMap<HistoryUser>();
  const names = new Map<string, string>();
  const rooms = new Rooms();
  yield* readUsers(archive, users, names, rooms);
  yield* readRooms(archive, rooms);
  yield* readSubscriptions(archive, rooms);
  const topics = await lookThrough(archive, users, rooms);
  yield* users.values();
  for (const room of rooms.channels()) yield channelRow(room, rooms);
  yield* readMessages({ archive, users, names, rooms, topics });
}

async function* readUsers(
  archive: ArchiveSource,
  users: Map<string, HistoryUser>,
  names: Map<string, string>,
  rooms: Rooms,
): AsyncGenerator<HistoryRow> {
  for await (const found of documentsOf(archive, 'users')) {
    if ('skipped' in found) {
      yield found.skipped;
      continue;
    }
    const { place, fields } = found;
    const id = idOf(fields['_id']);
    const refused = (why: string): HistoryRow => skipped('user', place, why);
    if (id === '') yield refused('It has no _id.');
    else if (users.has(id)) yield refused('The _id came before.');
    else {
      users.set(id, userOf(id, fields));
      const username = textOf(fields['username']);
      if (username !== '') names.set(username, id);
      for (const room of textsOf(fields['__rooms'])) rooms.subscribe(room, id, null);
    }
  }
}

function userOf(id: string, user: Fields): HistoryUser {
  const email = partsOf(user['emails']).map(({ address }) => textOf(address))[0] ?? '';
  const roles = textsOf(user['roles']);
  const type = textOf(user['type']);
  const joinedAt = secondsOfDate(user['createdAt']);
  return {
    kind: 'user',
    id,
    name: firstText(user['name'], user['username'], id),
    ...(email === '' ? {} : { email }),
    bot: type === 'bot' || type === 'app' || roles.includes('bot'),
    active: user['active'] !== false && type !== 'unknown',
    role: roleOf(roles),
    ...(joinedAt === null ? {} : { joinedAt }),
  };
}

function roleOf(roles: readonly string[]): HistoryUser['role'] & string {
  if (roles.includes('admin')) return 'owner';
  if (roles.includes('moderator')) return 'moderator';
  return roles.includes('guest') || roles.includes('anonymous') ? 'guest' : 'member';
}

async function* readRooms(archive: ArchiveSource, rooms: Rooms): AsyncGenerator<HistoryRow> {
  for await (const found of documentsOf(archive, 'rooms')) {
    if ('skipped' in found) yield found.skipped;
    else {
      const why = rooms.add(roomOf(found.fields));
      const name = firstText(found.fields['fname'], found.fields['name']).slice(0, 200);
      if (why !== null) yield skipped('channel', found.place, why, { name });
    }
  }
}

function roomOf(room: Fields): Room {
  const createdAt = secondsOfDate(room['ts']);
  return {
    id: idOf(room['_id']),
    type: textOf(room['t']),
    name: firstText(room['fname'], room['name']),
    handle: textOf(room['name']),
    description: firstText(room['description'], room['topic'], room['announcement']),
    parent: textOf(room['prid']),
    isArchived: room['archived'] === true,
    members: textsOf(room['uids']),
    creator: idOf(partOf(room['u'])['_id']),
    createdAt,
  };
}

async function* readSubscriptions(
  archive: ArchiveSource,
  rooms: Rooms,
): AsyncGenerator<HistoryRow> {
  for await (const found of documentsOf(archive, 'subscriptions')) {
    if ('skipped' in found) {
      yield found.skipped;
      continue;
    }
    const { place, fields } = found;
    const [room, user] = [idOf(fields['rid']), idOf(partOf(fields['u'])['_id'])];
    if (room === '' || user === '') {
      yield skipped('subscription', place, 'It has no room (rid) or no user (u._id).');
    } else rooms.subscribe(room, user, readUntilOf(fields));
  }
}

/**
 * Returns when somebody has last seen a room that has something new for them; a room that alerts
 * them of nothing is read. One that they never saw is unread since they joined it.
 */
function readUntilOf({ alert, ls: seen, ts: joined }: Fields): number | null {
  if (alert === false) return null;
  return secondsOfDate(seen) ?? (alert === true ? secondsOfDate(joined) : null);
}

const FOREIGN_SENDERS_MAX = 20_000;

/**
 * Reads all messages once for what has to be known before: senders who are no users any more, and
 * the names of threads, whose first message may lie behind its replies.
 */
async function lookThrough(
  archive: ArchiveSource,
  users: Map<string, HistoryUser>,
  rooms: Rooms,
): Promise<ThreadTopics> {
  const topics = new ThreadTopics();
  let foreign = 0;
  for await (const found of documentsOf(archive, 'messages')) {
    if ('skipped' in found) continue;
    const message = found.fields;
    const sender = partOf(message['u']);
    const id = idOf(sender['_id']);
    if (
      id !== '' &&
      !users.has(id) &&
      foreign < FOREIGN_SENDERS_MAX &&
      textOf(message['t']) === ''
    ) {
      foreign += 1;
      const name = firstText(sender['name'], sender['username'], id);
      users.set(id, { kind: 'user', id, name, bot: false, active: false });
    }
    const isThread = Number(message['tcount']) > 0;
    const channel = rooms.placeOf(idOf(message['rid']))?.channel;
    if (!isThread || channel === undefined) continue;
    const sentAt = secondsOfDate(message['ts']) ?? 0;
    topics.name({ channel, id: idOf(message['_id']) }, textOf(message['msg']), sentAt);
  }
  return topics;
}

async function* readMessages(
  known: Pick<MessageContext, 'archive' | 'users' | 'names' | 'rooms' | 'topics'>,
): AsyncGenerator<HistoryRow> {
  const files = new Map<string, string>();
  for (const entry of known.archive.names()) {
    const base = entry.slice(entry.lastIndexOf('/') + 1);
    files.set(base.split('.')[0] ?? base, entry);
  }
  const context = { ...known, files, seen: new SeenIds(), leftOut: new Counts() };
  for await (const found of documentsOf(known.archive, 'messages')) {
    if ('skipped' in found) yield found.skipped;
    else yield* messageRows(context, found.fields, found.place);
  }
  for (const [kind, count] of context.leftOut.entries()) {
    const why = kind === 'e2e' ? 'It is encrypted.' : ofService(kind);
    yield skipped('message', { file: entryOf(known.archive, 'messages') ?? '' }, why, { count });
  }
}
