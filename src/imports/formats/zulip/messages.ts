import { type HistoryMessage, type HistoryRow, type Place, skipped } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { type Fields, idOf, textOf } from '../shared/fields.ts';
import { textOfContent } from './contents.ts';
import { type Directory, RECIPIENT, timeOf } from './directory.ts';
import { editsOf } from './edits.ts';
import { tableRows } from './tables.ts';

const [READ, STARRED] = [1, 2];
/** Messages of one file, of which the service writes a thousand. */
const MESSAGES_MAX = 100_000;
const CHARACTERS_MAX = 64 * 1024 * 1024;
/** Columns that are kept until the flags of a file are read; its HTML is as long as all of them. */
const COLUMNS = [
  ...['sender', 'recipient', 'subject', 'topic', 'content', 'date_sent', 'pub_date'],
  ...['last_edit_time', 'edit_history'],
];

/** Reads one file of messages: they, and the flags that users have on them. */
export async function* messageRows(
  archive: ArchiveSource,
  entry: string,
  directory: Directory,
): AsyncGenerator<HistoryRow> {
  const messages = new Map<string, Fields>();
  const flags = new Map<string, Flags>();
  let characters = 0;
  for await (const found of tableRows(archive, entry, ['zerver_message', 'zerver_usermessage'])) {
    if ('skipped' in found) yield found.skipped;
    else if (found.table === 'zerver_usermessage') {
      takeFlags(flags, found.row, directory, messages.get(idOf(found.row['message'])));
    } else {
      const id = idOf(found.row['id']);
      if (id === '') yield left({ file: entry }, 'It has no id.');
      else if (messages.has(id)) yield left({ file: entry, row: id }, 'It is there twice.');
      else if (messages.size >= MESSAGES_MAX) {
        yield left({ file: entry, row: id }, `A file has at most ${MESSAGES_MAX} messages.`);
      } else if (characters > CHARACTERS_MAX) {
        yield left({ file: entry, row: id }, `A file has at most ${CHARACTERS_MAX} characters.`);
      } else {
        messages.set(id, keptOf(found.row));
        const { content, edit_history: edits } = found.row;
        characters += textOf(content).length + textOf(edits).length;
      }
    }
  }
  for (const [id, row] of messages) {
    const message = messageOf(id, row, directory);
    if ('why' in message) yield left({ file: entry, row: id }, message.why);
    else {
      const own = flags.get(id);
      yield {
        ...message,
        ...('direct' in message.to && own !== undefined && { readBy: own.read }),
        ...(own !== undefined && own.unread.length > 0 && { unreadBy: own.unread }),
        ...(own !== undefined && own.starred.length > 0 && { starredBy: own.starred }),
      };
    }
  }
}

const keptOf = (row: Fields): Fields =>
  Object.fromEntries(COLUMNS.flatMap((name) => (name in row ? [[name, row[name]]] : [])));

/** Users by the flags that they have on a message. */
interface Flags {
  readonly read: string[];
  readonly unread: string[];
  readonly starred: string[];
}

const left = (place: Place, why: string): HistoryRow => skipped('message', place, why);

/**
 * Takes the flags of one user: that they have read a direct message, or that they have not read one
 * of a channel to which they are subscribed.
 */
function takeFlags(
  flags: Map<string, Flags>,
  row: Fields,
  directory: Directory,
  message: Fields | undefined,
) {
  const mask = Number(row['flags_mask'] ?? 0);
  const given = idOf(row['user_profile']);
  // One text for all that name the person.
  const user = directory.users.get(given)?.id ?? given;
  const recipient = idOf(message?.['recipient']);
  const isDirect = directory.recipients.get(recipient)?.type !== RECIPIENT.CHANNEL;
  const isRead = (mask & READ) !== 0;
  const isStarred = (mask & STARRED) !== 0;
  const isUnread = !isRead && !isDirect && directory.isReader(recipient, user);
  if (!isStarred && !isUnread && !isDirect) return;
  const id = idOf(row['message']);
  const own = flags.get(id) ?? { read: [], unread: [], starred: [] };
  flags.set(id, own);
  if (isStarred) own.starred.push(user);
  if (isUnread) own.unread.push(user);
  if (isDirect && isRead) own.read.push(user);
}

function messageOf(
  id: string,
  row: Fields,
  directory: Directory,
): HistoryMessage | { readonly why: string } {
  const sender = idOf(row['sender']);
  if (!directory.users.has(sender)) return { why: 'Its sender is not in the archive.' };
  const sentAt = timeOf(row['date_sent'] ?? row['pub_date']);
  if (sentAt === null) return { why: 'It has no time.' };
  const content = textOf(row['content']);
  if (content.trim() === '') return { why: 'It has no text.' };
  const to = placeOf(row, sender, directory);
  if (to === undefined) return { why: 'Its channel or its people are not in the archive.' };
  return {
    kind: 'message',
    id,
    sender,
    to,
    sentAt,
    ...editsOf(row, directory),
    content: textOfContent(content, directory),
    reactions: directory.reactions.of(id),
  };
}

function placeOf(row: Fields, sender: string, directory: Directory) {
  const key = idOf(row['recipient']);
  const recipient = directory.recipients.get(key);
  if (recipient === undefined) return undefined;
  const { type, id } = recipient;
  if (type === RECIPIENT.CHANNEL) {
    const topic = textOf(row['subject'] ?? row['topic']);
    return directory.channels.has(id) ? { channel: id, topic } : undefined;
  }
  const { subscribers, former } = directory;
  const others =
    type === RECIPIENT.PERSONAL
      ? [id]
      : [...(subscribers.get(key) ?? []), ...(former.get(key) ?? [])];
  const people = [...new Set([...others, sender])];
  if (type === RECIPIENT.GROUP && others.length === 0) return undefined;
  return people.every((one) => directory.users.has(one)) ? { direct: people } : undefined;
}
