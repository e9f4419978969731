import { TOPIC_LENGTH_MAX } from '../../../domain/limits/channels.ts';

/** Messages of a channel that belong to no thread lie in this topic (docs/decisions/0267). */
export const IMPORTED_TOPIC = 'imported';

const PLAIN_LENGTH_MAX = 200;

/** Names the threads of one channel after their first messages, each thread differently. */
export class ThreadTopics {
  private readonly byThread = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Returns the topic of a thread that was named, otherwise undefined. */
  of(thread: string): string | undefined {
    return this.byThread.get(thread);
  }

  /** Names a thread; a thread without words has the day as its name. */
  name(thread: string, firstMessage: string, sentAt: number): string {
    const known = this.byThread.get(thread);
    if (known !== undefined) return known;
    const day = new Date(sentAt * 1000).toISOString().slice(0, 10);
    const wanted = topicOf(firstMessage) || `Thread of ${day}`;
    const key = wanted.toLowerCase();
    const count = (this.counts.get(key) ?? (key === IMPORTED_TOPIC ? 1 : 0)) + 1;
    this.counts.set(key, count);
    const topic = count === 1 ? wanted : withNumber(wanted, count);
    this.byThread.set(thread, topic);
    return topic;
  }
}

function withNumber(topic: string, count: number): string {
  const suffix = ` (${count})`;
  return cut(topic, TOPIC_LENGTH_MAX - suffix.length) + suffix;
}

/** Returns the first line with words, without mark-up, as a topic; `''` if there is none. */
export function topicOf(text: string): string {
  const plain = text
    .slice(0, PLAIN_LENGTH_MAX * 4)
    .replace(/<[^<>|\n]{0,400}\|([^<>\n]{0,400})>/g, '$1')
    .replace(/[*_~`>|\\\u2060]/g, '')
    .replace(/\p{C}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return cut(plain, TOPIC_LENGTH_MAX);
}

/** Cuts between characters, and between words if one ends near the end. */
function cut(text: string, lengthMax: number): string {
  const characters = Array.from(text);
  if (characters.length <= lengthMax) return text;
  const short = characters.slice(0, lengthMax - 1).join('');
  const blank = short.lastIndexOf(' ');
  return `${(blank > lengthMax / 2 ? short.slice(0, blank) : short).trimEnd()}…`;
}
