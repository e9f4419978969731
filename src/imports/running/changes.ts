import type { PastChange } from '../../operations/importing/history.ts';
import type { HistoryChange, HistoryText } from '../history.ts';
import { type Names, storableTopic } from './contents.ts';

/** Changes of one message that come along: the newest. */
const CHANGES_MAX = 20;
/** Characters of all earlier states of a message: a step of an import has to stay short. */
const CHARACTERS_MAX = 100_000;

interface Tools {
  readonly names: Names;
  /** The user for a change of which nobody knows who made it. */
  readonly senderId: number;
  readonly rendered: (text: HistoryText) => Promise<{ content: string; html: string }>;
}

type Writable<Fields> = { -readonly [Key in keyof Fields]: Fields[Key] };

/** Returns changes of a message as they are stored, the oldest first. */
export async function changesOf(
  given: readonly HistoryChange[],
  { names, senderId, rendered }: Tools,
): Promise<readonly PastChange[]> {
  const changes: PastChange[] = [];
  let characters = 0;
  for (const { user, at, content, topic, channel } of given.slice(-CHANGES_MAX).reverse()) {
    const before: Writable<PastChange['before']> = {};
    const after: Writable<PastChange['after']> = {};
    if (content !== undefined) {
      const { content: text, html } = await rendered(content);
      characters += text.length + html.length;
      if (characters > CHARACTERS_MAX) break;
      before.content = text;
      before.renderedContent = html;
    }
    if (topic !== undefined) {
      before.topic = storableTopic(topic[0]);
      after.topic = storableTopic(topic[1]);
    }
    const [from, to] = (channel ?? []).map((id) => names.channel(id)?.id);
    if (from !== undefined && to !== undefined) {
      before.channelId = from;
      after.channelId = to;
    }
    if (Object.keys(before).length === 0) continue;
    const userId = (user === undefined ? undefined : names.user(user)) ?? senderId;
    changes.push({ userId, at: Math.max(0, Math.floor(at)), before, after });
  }
  return changes.reverse();
}
