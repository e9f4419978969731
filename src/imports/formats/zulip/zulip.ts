import type { HistoryFormat, HistoryRow } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { readDirectory } from './directory.ts';
import { filesOf } from './files.ts';
import { messageRows } from './messages.ts';
import { entriesOf } from './tables.ts';

/**
 * The export of an organization: `realm.json` with tables of people and channels, files of a
 * thousand messages each, and lists of the files that were uploaded.
 */
export const zulip: HistoryFormat = { name: 'zulip', read };

async function* read(archive: ArchiveSource): AsyncGenerator<HistoryRow> {
  const entries = entriesOf(archive);
  const files = await filesOf(archive, entries.folder);
  yield* files.leftOut;
  const directory = yield* readDirectory(archive, entries, files);
  const { users, groups, channels, recipients, subscribers, emoji, looks, defaults, permitted } =
    directory;
  // Bots come after the people who own them.
  for (const isBot of [false, true]) {
    for (const user of users.values()) if (user.bot === isBot) yield user;
  }
  yield* groups.rows((id) => users.has(id), entries.realm);
  const recipientOf = new Map<string, string>();
  for (const [recipient, { type, id }] of recipients) {
    if (type === 2) recipientOf.set(id, recipient);
  }
  for (const [id, channel] of channels) {
    const recipient = recipientOf.get(id) ?? '';
    const people = subscribers.get(recipient) ?? [];
    const own = looks.get(recipient);
    yield {
      ...channel,
      permissions: groups.ofChannel(permitted.get(id) ?? '', (user) => users.has(user)),
      ...(defaults.has(id) && { default: true }),
      ...(own !== undefined && { looks: own }),
      subscribers: people.filter((user) => users.has(user)),
    };
  }
  yield* emoji;
  for (const entry of entries.messages) yield* messageRows(archive, entry, directory);
}
