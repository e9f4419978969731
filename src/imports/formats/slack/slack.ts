import { ArchiveError } from '../../../archives/archive-error.ts';
import {
  type FormatOptions,
  type HistoryFormat,
  type HistoryRow,
  type HistoryUser,
  type Place,
  skipped,
} from '../../history.ts';
import { jsonElements } from '../../json-documents.ts';
import { JsonStreamError } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { listElements } from '../../sources/listed-documents.ts';
import { type Bound, conversationBound, peopleMap, subscriptionBound } from '../shared/bounds.ts';
import {
  type Fields,
  fieldsOf,
  firstText,
  idOf,
  partOf,
  rowOf,
  secondsOf,
  textOf,
  textsOf,
} from '../shared/fields.ts';
import { Counts, ofService, SeenIds } from '../shared/seen.ts';
import { ThreadTopics } from '../shared/topics.ts';
import { type Conversation, daysOf, filesIn, type SlackArchive } from './archive.ts';
import { messageOf, senderOf } from './messages.ts';

/**
 * The export of a Slack workspace: `users.json`, the lists of conversations, and a folder for each
 * conversation with a file a day.
 */
export const slack: HistoryFormat = { name: 'slack', read };

async function* read(archive: ArchiveSource, _: FormatOptions): AsyncGenerator<HistoryRow> {
  const root = rootOf(archive);
  const files = filesIn(archive);
  const users = peopleMap<HistoryUser>();
  const bots = peopleMap<string>();
  yield* readUsers(archive, `${root}users.json`, users, bots);
  const conversations: Conversation[] = [];
  const bounds = { count: conversationBound(), subscriptions: subscriptionBound() };
  for (const list of ['channels', 'groups', 'mpims', 'dms'] as const) {
    yield* readConversations({ archive, root, list, conversations, bounds });
  }
  const slackArchive: SlackArchive = { archive, root, files, bots, users };
  yield* await sendersWithoutUser(slackArchive, conversations, users);
  yield* users.values();
  for (const conversation of conversations) {
    if (conversation.row !== null) yield conversation.row;
  }
  for (const conversation of conversations) yield* readMessages(slackArchive, conversation);
}

/** An archive that was packed with its folder has all entries within it. */
function rootOf(archive: ArchiveSource): string {
  const entry = archive
    .names()
    .filter((name) => name === 'users.json' || name.endsWith('/users.json'))
    .sort((one, other) => one.length - other.length)[0];
  if (entry === undefined) {
    throw new ArchiveError('This is no export of Slack: it has no file users.json.');
  }
  return entry.slice(0, -'users.json'.length);
}

async function* readUsers(
  archive: ArchiveSource,
  entry: string,
  users: Map<string, HistoryUser>,
  bots: Map<string, string>,
): AsyncGenerator<HistoryRow> {
  for await (const element of elementsOf(archive, entry)) {
    const place = { file: entry, row: rowOf(element.key) };
    if ('why' in element) {
      yield skipped('user', place, element.why);
      continue;
    }
    const user = fieldsOf(element.value);
    const id = idOf(user?.['id']);
    if (user === null || id === '') yield skipped('user', place, 'It has no id.');
    else if (users.has(id)) yield skipped('user', place, 'The id came before.', { name: id });
    else {
      users.set(id, userOf(id, user));
      const botId = textOf(partOf(user['profile'])['bot_id']);
      if (botId !== '') bots.set(botId, id);
    }
  }
}

/** Throws `ArchiveError` for a list that is not JSON: nobody knows whom messages are from then. */
async function* elementsOf(archive: ArchiveSource, entry: string) {
  try {
    yield* jsonElements(await archive.open(entry), ['$.*']);
  } catch (error) {
    if (error instanceof JsonStreamError) throw new ArchiveError(`${entry}: ${error.message}`);
    throw error;
  }
}

function userOf(id: string, user: Fields): HistoryUser {
  const profile = partOf(user['profile']);
  const email = textOf(profile['email']);
  const timezone = textOf(user['tz']);
  const name = firstText(
    profile['real_name'],
    user['real_name'],
    profile['display_name'],
    user['name'],
    id,
  );
  return {
    kind: 'user',
    id,
    name,
    ...(email === '' ? {} : { email }),
    bot: user['is_bot'] === true || id === 'USLACKBOT',
    active: user['deleted'] !== true,
    role: roleOf(user),
    ...(timezone === '' ? {} : { timezone }),
  };
}

function roleOf(user: Fields): HistoryUser['role'] & string {
  if (user['is_owner'] === true || user['is_primary_owner'] === true) return 'owner';
  if (user['is_admin'] === true) return 'administrator';
  const isGuest = user['is_restricted'] === true || user['is_ultra_restricted'] === true;
  return isGuest ? 'guest' : 'member';
}

async function* readConversations({
  archive,
  root,
  list,
  conversations,
  bounds,
}: {
  archive: ArchiveSource;
  root: string;
  list: 'channels' | 'groups' | 'mpims' | 'dms';
  conversations: Conversation[];
  bounds: { readonly count: Bound; readonly subscriptions: Bound };
}): AsyncGenerator<HistoryRow> {
  const entry = `${root}${list}.json`;
  if (!archive.has(entry)) return;
  const seen = new SeenIds();
  for await (const element of elementsOf(archive, entry)) {
    const place = { file: entry, row: rowOf(element.key) };
    if ('why' in element) {
      yield skipped('channel', place, element.why);
      continue;
    }
    const fields = fieldsOf(element.value);
    const id = idOf(fields?.['id']);
    if (fields === null || id === '') yield skipped('channel', place, 'It has no id.');
    else if (seen.isRepeated(id))
      yield skipped('channel', place, 'The id came before.', { name: id });
    else {
      const isDirect = list === 'dms' || list === 'mpims';
      const found = isDirect ? directOf(id, fields, list) : channelOf(id, fields, list);
      bounds.count.add();
      bounds.subscriptions.add(found.members.length);
      conversations.push(found);
    }
  }
}

function directOf(id: string, fields: Fields, list: string): Conversation {
  const folder = list === 'dms' ? id : firstText(fields['name'], id);
  return { id, folder, members: textsOf(fields['members']), row: null };
}

function channelOf(id: string, fields: Fields, list: string): Conversation {
  const name = firstText(fields['name'], id);
  const members = textsOf(fields['members']);
  const createdAt = secondsOf(Number(fields['created']));
  const creator = textOf(fields['creator']);
  return {
    id,
    folder: name,
    members,
    row: {
      kind: 'channel',
      id,
      name,
      description: firstText(partOf(fields['purpose'])['value'], partOf(fields['topic'])['value']),
      private: list === 'groups' || fields['is_private'] === true,
      archived: fields['is_archived'] === true,
      ...(createdAt === null ? {} : { createdAt }),
      ...(creator === '' ? {} : { creator }),
      subscribers: members,
    },
  };
}

/** More senders than this without a user are a mistake of the archive. */
const FOREIGN_SENDERS_MAX = 20_000;

/**
 * Adds users for senders that `users.json` does not have: bots, and people of other workspaces in
 * shared channels. It needs a reading of all messages, since users come first.
 */
async function sendersWithoutUser(
  archive: SlackArchive,
  conversations: readonly Conversation[],
  users: Map<string, HistoryUser>,
): Promise<HistoryRow[]> {
  let count = 0;
  for (const conversation of conversations) {
    for await (const { message } of messagesOf(archive, conversation)) {
      const sender = message === undefined ? null : foreignSender(message, users, archive.bots);
      if (sender === null || users.has(sender.id)) continue;
      count += 1;
      if (count > FOREIGN_SENDERS_MAX) {
        return [
          skipped('user', { file: '' }, `More than ${FOREIGN_SENDERS_MAX} senders are no users.`),
        ];
      }
      users.set(sender.id, sender);
    }
  }
  return [];
}

function foreignSender(
  message: Fields,
  users: ReadonlyMap<string, HistoryUser>,
  bots: SlackArchive['bots'],
): HistoryUser | null {
  const id = senderOf(message, bots);
  if (id === '' || users.has(id)) return null;
  const profile = partOf(message['user_profile']);
  const bot = textOf(message['user']) === '';
  const name = firstText(
    profile['real_name'],
    profile['display_name'],
    partOf(message['bot_profile'])['name'],
    message['username'],
    bot ? `Bot ${id}` : id,
  );
  // These accounts belong to people of other workspaces.
  return { kind: 'user', id, name, bot, active: bot };
}

interface FoundMessage {
  readonly place: Place;
  /** Undefined for what is no object. */
  readonly message?: Fields;
  readonly why?: string;
  /** True if all that follows in the file is left out. */
  readonly isRest?: boolean;
}

async function* messagesOf(
  { archive, root }: SlackArchive,
  { folder }: Conversation,
): AsyncGenerator<FoundMessage> {
  for (const entry of daysOf(archive, `${root}${folder}/`)) {
    try {
      for await (const element of listElements(archive, entry)) {
        const message = 'why' in element ? null : fieldsOf(element.value);
        const place = { file: entry, row: textOf(message?.['ts']) || rowOf(element.key) };
        if (message !== null) yield { place, message };
        else yield { place, why: 'why' in element ? element.why : 'It is no object.' };
      }
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      yield { place: { file: entry }, why: error.message, isRest: true };
    }
  }
}

async function* readMessages(
  archive: SlackArchive,
  conversation: Conversation,
): AsyncGenerator<HistoryRow> {
  const context = {
    ...archive,
    conversation,
    topics: new ThreadTopics(),
    seen: new SeenIds(),
    leftOut: new Counts(),
  };
  for await (const found of messagesOf(archive, conversation)) {
    const { place, message, why = '', isRest } = found;
    if (message !== undefined) yield* messageOf(message, place, context);
    else yield skipped(isRest === true ? 'rest of the file' : 'message', place, why);
  }
  for (const [kind, count] of context.leftOut.entries()) {
    const file = `${archive.root}${conversation.folder}`;
    yield skipped('message', { file }, ofService(kind), { count });
  }
}
