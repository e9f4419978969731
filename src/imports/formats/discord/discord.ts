import { ArchiveError } from '../../../archives/archive-error.ts';
import {
  type HistoryEmoji,
  type HistoryFormat,
  type HistoryRow,
  type HistoryUser,
  skipped,
} from '../../history.ts';
import { jsonElements } from '../../json-documents.ts';
import { JsonStreamError } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { conversationMap, subscriptionBound } from '../shared/bounds.ts';
import {
  type Fields,
  fieldsOf,
  firstText,
  idOf,
  partOf,
  partsOf,
  rowOf,
  textOf,
} from '../shared/fields.ts';
import { Counts, ofService, SeenIds } from '../shared/seen.ts';
import { topicOf } from '../shared/topics.ts';
import { assetOf } from './assets.ts';
import { type ChannelFile, type Guild, placeOf } from './guild.ts';
import { type MessageContext, messageRows, RecentTexts } from './messages.ts';

/**
 * Files of DiscordChatExporter in its JSON form, one for each channel or thread. They have no list
 * of members, so all files are read twice: first for who is in them.
 */
export const discord: HistoryFormat = { name: 'discord', read };

async function* read(archive: ArchiveSource): AsyncGenerator<HistoryRow> {
  const guild: Guild = {
    users: new Map(),
    emoji: new Map(),
    channels: conversationMap(),
    subscriptions: subscriptionBound(),
  };
  const leftOut: HistoryRow[] = [];
  for (const entry of archive.names()) {
    if (!entry.endsWith('.json')) continue;
    const why = await lookThrough(archive, entry, guild);
    if (why !== null) leftOut.push(skipped('file', { file: entry }, why));
  }
  if (guild.channels.size === 0) {
    throw new ArchiveError(
      'This is no export of DiscordChatExporter: no file .json has a channel and messages.',
    );
  }
  yield* leftOut;
  yield* guild.users.values();
  yield* channelRows(guild);
  yield* guild.emoji.values();
  for (const file of filesByTime(guild)) yield* readMessages(archive, file, guild);
}

/** The parts of a channel (`[part 2]`) follow each other; ids of Discord rise with time. */
const filesByTime = ({ channels }: Guild): ChannelFile[] =>
  [...channels.values()].sort(
    (one, other) => compare(one, other) || byText(one.entry, other.entry),
  );

function compare(one: ChannelFile, other: ChannelFile): number {
  if (one.id !== other.id) return byText(one.id, other.id);
  return one.firstAt - other.firstAt;
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const USERS_MAX = 500_000;

/** Reads a file for its channel, its users and its emoji. Returns why it is left out, or null. */
async function lookThrough(
  archive: ArchiveSource,
  entry: string,
  guild: Guild,
): Promise<string | null> {
  let channel: Fields | null = null;
  let isMessages = false;
  let firstAt = Number.POSITIVE_INFINITY;
  const authors = new Set<string>();
  // A path of all messages would hold them in memory.
  const paths = ['$.guild', '$.channel', '$.messages.*', '$.messageCount'];
  try {
    for await (const element of jsonElements(await archive.open(entry), paths)) {
      const { key } = element;
      // The second reading says which messages are broken.
      const value = 'why' in element ? null : element.value;
      if (key === 'channel') channel = fieldsOf(value);
      else if (key === 'messageCount') isMessages = true;
      else if (typeof key === 'number') {
        const message = fieldsOf(value);
        if (message !== null || 'why' in element) isMessages = true;
        if (message === null) continue;
        const time = Date.parse(textOf(message['timestamp']));
        if (time < firstAt) firstAt = time;
        takeUsers(archive, entry, { message, authors, guild });
      }
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    // The second reading gives the messages before the damage, and says where it is.
    if (channel === null || !isMessages) return error.message;
  }
  const id = idOf(channel?.['id']);
  if (channel === null || id === '' || !isMessages) return 'It is no exported channel.';
  guild.subscriptions.add(authors.size);
  guild.channels.set(entry, {
    entry,
    id,
    type: textOf(channel['type']),
    name: firstText(channel['name'], id),
    description: textOf(channel['topic']),
    parentId: idOf(channel['categoryId']),
    parentName: firstText(channel['category']),
    firstAt: Number.isFinite(firstAt) ? firstAt : 0,
    authors: [...authors],
  });
  return null;
}

function takeUsers(
  archive: ArchiveSource,
  entry: string,
  { message, authors, guild }: { message: Fields; authors: Set<string>; guild: Guild },
): void {
  const author = partOf(message['author']);
  const id = idOf(author['id']);
  if (id !== '') authors.add(id);
  const reactions = partsOf(message['reactions']);
  const others = reactions.flatMap(({ users }) => partsOf(users));
  for (const user of [author, ...partsOf(message['mentions']), ...others]) {
    const userId = idOf(user['id']);
    if (userId === '' || guild.users.has(userId) || guild.users.size >= USERS_MAX) continue;
    guild.users.set(userId, userOf(archive, entry, user));
  }
  const emoji = [
    ...reactions.map((reaction) => reaction['emoji']),
    ...partsOf(message['inlineEmojis']),
  ];
  for (const each of emoji.map(partOf)) takeEmoji(archive, entry, each, guild);
}

function userOf(archive: ArchiveSource, entry: string, user: Fields): HistoryUser {
  const id = idOf(user['id']);
  const avatar = assetOf(archive, entry, user['avatarUrl'], 'avatar.png');
  return {
    kind: 'user',
    id,
    name: firstText(user['nickname'], user['name'], id),
    bot: user['isBot'] === true,
    active: user['discriminator'] !== '0000' || user['isBot'] === true,
    ...(avatar === null ? {} : { avatar }),
  };
}

const EMOJI_MAX = 5_000;

/** An emoji of the guild has an id; one of Unicode has none. */
function takeEmoji(archive: ArchiveSource, entry: string, emoji: Fields, guild: Guild): void {
  const name = textOf(emoji['name']).toLowerCase();
  if (idOf(emoji['id']) === '' || name === '') return;
  if (guild.emoji.has(name) || guild.emoji.size >= EMOJI_MAX) return;
  const file = assetOf(archive, entry, emoji['imageUrl'], `${name}.png`);
  if (file === null) return;
  const row: HistoryEmoji = { kind: 'emoji', name, file };
  guild.emoji.set(name, row);
}

/** A thread lies in its channel, which need not have been exported. */
function* channelRows(guild: Guild): Generator<HistoryRow> {
  const rows = new Map<string, { name: string; description: string; authors: Set<string> }>();
  for (const file of guild.channels.values()) {
    const { channel, topic } = placeOf(file);
    if (channel === undefined) continue;
    const row = rows.get(channel) ?? { name: '', description: '', authors: new Set() };
    if (topic === undefined) Object.assign(row, { name: file.name, description: file.description });
    else if (row.name === '') row.name = file.parentName || channel;
    for (const author of file.authors) row.authors.add(author);
    rows.set(channel, row);
  }
  const names = new Set<string>();
  for (const [id, { name, description, authors }] of rows) {
    const isTaken = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    yield {
      kind: 'channel',
      id,
      name: isTaken ? `${name} (${id})` : name,
      description,
      // The export does not say who may read a channel.
      private: true,
      archived: false,
      subscribers: [...authors],
    };
  }
}

async function* readMessages(
  archive: ArchiveSource,
  file: ChannelFile,
  guild: Guild,
): AsyncGenerator<HistoryRow> {
  const context: MessageContext = {
    archive,
    file,
    guild,
    places: placesOf(guild),
    seen: new SeenIds(),
    leftOut: new Counts(),
    recent: new RecentTexts(),
  };
  try {
    const paths = ['$.messages.*'];
    for await (const element of jsonElements(await archive.open(file.entry), paths)) {
      const message = 'why' in element ? null : fieldsOf(element.value);
      const place = { file: file.entry, row: idOf(message?.['id']) || rowOf(element.key) };
      if ('why' in element) yield skipped('message', place, element.why);
      else if (message === null) yield skipped('message', place, 'It is no object.');
      else yield* messageRows(context, message, place);
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    yield skipped('rest of the file', { file: file.entry }, error.message);
  }
  for (const [kind, count] of context.leftOut.entries()) {
    yield skipped('message', { file: file.entry }, ofService(kind), { count });
  }
}

function placesOf({ channels }: Guild): ReadonlyMap<string, { channel: string; topic?: string }> {
  const places = new Map<string, { channel: string; topic?: string }>();
  for (const file of channels.values()) {
    const { channel, topic } = placeOf(file);
    if (channel === undefined) continue;
    places.set(file.id, topic === undefined ? { channel } : { channel, topic: topicOf(topic) });
  }
  return places;
}
