import { IMPORTED_THREADS_MAX } from '../../../domain/limits/archives.ts';
import { TOPIC_LENGTH_MAX } from '../../../domain/limits/channels.ts';
import { CompactTexts } from './compact-texts.ts';
import { HashedNumbers } from './hashed-numbers.ts';

/** Messages of a channel that belong to no thread lie in this topic (docs/decisions/0267). */
export const IMPORTED_TOPIC = 'imported';

const PLAIN_LENGTH_MAX = 200;

/** The place of a thread: its channel, and its id in it. */
export interface Thread {
  readonly channel: string;
  readonly id: string;
}

/**
 * Names the threads of channels after their first messages, each thread of a channel differently.
 * It takes some 100 bytes for each thread. Beyond `IMPORTED_THREADS_MAX` they have the day as
 * their name, which needs none.
 */
export class ThreadTopics {
  private readonly byThread: HashedNumbers;
  private readonly counts: HashedNumbers;
  private readonly names = new CompactTexts();

  constructor(max = IMPORTED_THREADS_MAX) {
    this.byThread = new HashedNumbers(max);
    this.counts = new HashedNumbers(max);
  }

  /** Returns the topic of a thread that was named, otherwise undefined. */
  of({ channel, id }: Thread): string | undefined {
    const number = this.byThread.get(`${channel}\0${id}`);
    return number === 0 ? undefined : this.names.at(number);
  }

  /** Names a thread; a thread without words has the day as its name. */
  name(thread: Thread, firstMessage: string, sentAt: number): string {
    const known = this.of(thread);
    if (known !== undefined) return known;
    const { channel, id } = thread;
    const ofDay = dayTopic(sentAt);
    const wanted = topicOf(firstMessage) || ofDay;
    const key = `${channel}\0${wanted.toLowerCase()}`;
    const isFirst = wanted.toLowerCase() !== IMPORTED_TOPIC;
    const count = (this.counts.get(key) || (isFirst ? 0 : 1)) + 1;
    const topic = count === 1 ? wanted : withNumber(wanted, count);
    if (!this.counts.set(key, count)) return ofDay;
    return this.byThread.set(`${channel}\0${id}`, this.names.nextNumber)
      ? this.names.add(topic)
      : ofDay;
  }
}

/** Returns the name of a thread of which nothing but its time is known. */
export const dayTopic = (sentAt: number): string =>
  `Thread of ${new Date(sentAt * 1000).toISOString().slice(0, 10)}`;

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
