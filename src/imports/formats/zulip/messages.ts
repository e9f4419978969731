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

/** Reads one file of messages: they, and the flags that users have on them. */
export async function* messageRows(
  archive: ArchiveSource,
  entry: string,
  directory: Directory,
): AsyncGenerator<HistoryRow> {
  const messages = new Map<string, Fields>();
  const flags = new Map<string, { read: string[]; starred: string[] }>();
  let unread = 0;
  for await (const found of tableRows(archive, entry, ['zerver_message', 'zerver_usermessage'])) {
    if ('skipped' in found) yield found.skipped;
    else if (found.table === 'zerver_usermessage') {
      const message = messages.get(idOf(found.row['message']));
      const isDirectMessage = isDirect(directory, message);
      takeFlags(flags, found.row, isDirectMessage);
      if (!isDirectMessage && !isRead(found.row)) unread += 1;
    } else {
      const id = idOf(found.row['id']);
      if (id === '') yield left({ file: entry }, 'It has no id.');
      else if (messages.has(id)) yield left({ file: entry, row: id }, 'It is there twice.');
      else if (messages.size < MESSAGES_MAX) messages.set(id, found.row);
      else yield left({ file: entry, row: id }, `A file has at most ${MESSAGES_MAX} messages.`);
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
        ...(own !== undefined && own.starred.length > 0 && { starredBy: own.starred }),
      };
    }
  }
  if (unread > 0) yield skipped('unread mark', { file: entry }, ALL_READ, { count: unread });
}

const ALL_READ = 'Messages in channels count as read for everybody.';

const isRead = (row: Fields): boolean => (Number(row['flags_mask'] ?? 0) & READ) !== 0;

const left = (place: Place, why: string): HistoryRow => skipped('message', place, why);

const isDirect = ({ recipients }: Directory, message: Fields | undefined): boolean =>
  recipients.get(idOf(message?.['recipient']))?.type !== RECIPIENT.CHANNEL;

/** Only direct messages count as unread, so a mark is kept for those alone. */
function takeFlags(
  flags: Map<string, { read: string[]; starred: string[] }>,
  row: Fields,
  isDirectMessage: boolean,
) {
  const mask = Number(row['flags_mask'] ?? 0);
  const isStarred = (mask & STARRED) !== 0;
  if (!isDirectMessage && !isStarred) return;
  const id = idOf(row['message']);
  const own = flags.get(id) ?? { read: [], starred: [] };
  flags.set(id, own);
  if (isStarred) own.starred.push(idOf(row['user_profile']));
  if (isDirectMessage && (mask & READ) !== 0) own.read.push(idOf(row['user_profile']));
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
