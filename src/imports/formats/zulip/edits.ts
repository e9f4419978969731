import type { HistoryChange } from '../../history.ts';
import { type Fields, idOf, partsOf, textOf } from '../shared/fields.ts';
import { textOfContent } from './contents.ts';
import { type Directory, timeOf } from './directory.ts';

interface Edits {
  readonly editedAt?: number;
  readonly movedAt?: number;
  /** The oldest first. */
  readonly changes?: readonly HistoryChange[];
}

const RESOLVED = '✔ ';
/** Changes of one message that are read: the newest. */
const CHANGES_MAX = 100;

/**
 * Returns the changes of a message: `edit_history` is a text of JSON, the newest change first. The
 * time of the last one counts as a time of edit if the text has no changes.
 */
export function editsOf(row: Fields, directory: Directory): Edits {
  const lastAt = timeOf(row['last_edit_time']);
  const changes = changesIn(textOf(row['edit_history']), textOf(row['subject']), directory);
  if (changes.length === 0) return lastAt === null ? {} : { editedAt: lastAt };
  const edited = changes.find(({ content }) => content !== undefined);
  const moved = changes.find(
    ({ topic, channel }) =>
      channel !== undefined || (topic !== undefined && bare(topic[0]) !== bare(topic[1])),
  );
  return {
    ...(edited !== undefined && { editedAt: edited.at }),
    ...(moved !== undefined && { movedAt: moved.at }),
    ...(directory.showsEdits && { changes: changes.reverse() }),
  };
}

/** A topic that is resolved or opened again stays where it is. */
const bare = (topic: string): string =>
  topic.startsWith(RESOLVED) ? topic.slice(RESOLVED.length) : topic;

function changesIn(json: string, lastTopic: string, directory: Directory): HistoryChange[] {
  const changes: HistoryChange[] = [];
  // Older versions do not write the topic after a move: it is the one before the next move.
  let after = lastTopic;
  for (const entry of partsOf(parsed(json)).slice(0, CHANGES_MAX)) {
    const at = timeOf(entry['timestamp']);
    if (at === null) continue;
    const [content, topic] = [entry['prev_content'], entry['prev_topic'] ?? entry['prev_subject']];
    const [from, to] = [idOf(entry['prev_stream']), idOf(entry['stream'])];
    const user = idOf(entry['user_id']);
    const change: HistoryChange = {
      at,
      ...(user !== '' && { user }),
      ...(typeof content === 'string' && { content: textOfContent(content, directory) }),
      ...(typeof topic === 'string' && { topic: [topic, textOf(entry['topic'] ?? after)] }),
      ...(from !== '' && to !== '' && { channel: [from, to] }),
    };
    if (typeof topic === 'string') after = topic;
    changes.push(change);
  }
  return changes;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}
