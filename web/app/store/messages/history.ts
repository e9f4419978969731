/** The versions of a message, and what changed from one to the next. */
import { app } from '../app.ts';

export interface Version {
  readonly atMs: number;
  /** The person who changed it; the first version is of its sender. */
  readonly userId: number;
  /** Markdown of this version, and of the one before if the text changed. */
  readonly content: string;
  readonly before: string | null;
  readonly topic: string;
  readonly topicBefore: string | null;
  readonly channelId: number | null;
  readonly channelIdBefore: number | null;
}

/** Fetches the versions of a message, the newest first. */
export async function versionsOf(messageId: number): Promise<readonly Version[]> {
  const { message_history: all } = await app.chat.call('GET', '/messages/{message_id}/history', {
    message_id: messageId,
    allow_empty_topic_name: true,
  });
  return all
    .map((entry) => ({
      atMs: entry.timestamp * 1_000,
      userId: entry.user_id,
      content: entry.content,
      before: entry.prev_content ?? null,
      topic: entry.topic,
      topicBefore: entry.prev_topic ?? null,
      channelId: entry.stream ?? null,
      channelIdBefore: entry.prev_stream ?? null,
    }))
    .reverse();
}

/** A run of words that both texts have, or that one of them has. */
export interface Run {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Two texts of so many words in their middle are compared; larger ones are shown one by one. */
const WORDS_MAX = 1_200;

/** Returns what was added and removed, word by word. */
export function diffOf(before: string, after: string): readonly Run[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = [old.slice(start, old.length - end), now.slice(start, now.length - end)] as const;
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...runsOf(...middle),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ]);
}

/** Words, the white space after each, and signs by themselves; together they are the text. */
const wordsOf = (text: string): readonly string[] =>
  text.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];

function runsOf(old: readonly string[], now: readonly string[]): Run[] {
  const whole: Run[] = [
    { kind: 'removed', text: old.join('') },
    { kind: 'added', text: now.join('') },
  ];
  if (old.length === 0 || now.length === 0 || old.length + now.length > WORDS_MAX) return whole;
  // The length of the longest common part of the rests, by where these begin.
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const runs: Run[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      runs.push({ kind: 'same', text: old[row] ?? '' });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      runs.push({ kind: 'removed', text: old[row] ?? '' });
      row += 1;
    } else {
      runs.push({ kind: 'added', text: now[column] ?? '' });
      column += 1;
    }
  }
  runs.push({ kind: 'removed', text: old.slice(row).join('') });
  runs.push({ kind: 'added', text: now.slice(column).join('') });
  return runs;
}

/** Joins runs of one kind that follow each other, and leaves out empty ones. */
function joined(runs: readonly Run[]): readonly Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (run.text === '') continue;
    if (last?.kind === run.kind) all[all.length - 1] = { ...last, text: last.text + run.text };
    else all.push(run);
  }
  return all;
}
