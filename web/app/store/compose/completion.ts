import type { Directory, Group } from '../feed/directory.ts';
import type { NamedEmoji } from '../feed/emoji.ts';
import type { Channel, Person } from '../shapes.ts';
import { topicLabel } from '../shapes.ts';
import { PrefixIndex } from './prefix-index.ts';

/** A word that is being typed and can be completed. */
export interface Asked {
  readonly kind: 'mention' | 'channel' | 'topic' | 'emoji';
  readonly query: string;
  /** A mention that tells nobody. */
  readonly isSilent: boolean;
  /** The name of the channel, if a topic is typed. */
  readonly channel: string;
  /** The index in the text at which the word begins that a choice replaces. */
  readonly from: number;
}

/** Something that may have been meant. */
export type Choice =
  | { readonly kind: 'person'; readonly person: Person; readonly isAlone: boolean }
  | { readonly kind: 'group'; readonly group: Group }
  | { readonly kind: 'wildcard'; readonly name: string; readonly meaning: string }
  | { readonly kind: 'channel'; readonly channel: Channel }
  | { readonly kind: 'topic'; readonly channel: string; readonly topic: string }
  | { readonly kind: 'emoji'; readonly emoji: NamedEmoji; readonly name: string };

/** As many as are read at a glance. */
const CHOICES_MAX = 8;
/** Longer words are no names. */
const QUERY_LENGTH_MAX = 60;

const BEFORE = String.raw`(?:^|[\s(\[{"'/])`;
const TOPIC = /#\*\*([^*>\n]+)>([^*\n]*)$/;
const CHANNEL = new RegExp(String.raw`${BEFORE}#(?:\*\*)?([^\s#*>][^#*>\n]*|)$`, 'u');
const MENTION = new RegExp(String.raw`${BEFORE}@(_?)(?:\*{0,2})([^\s@*][^@*\n]*|)$`, 'u');
const EMOJI = new RegExp(String.raw`${BEFORE}:([\w+-]{2,})$`, 'u');

/** Returns what is being typed before the cursor; null if it is nothing of that kind. */
export function askedAt(text: string, cursor: number): Asked | null {
  const line = text.slice(Math.max(0, text.lastIndexOf('\n', cursor - 1) + 1), cursor);
  if (isInCode(text.slice(0, cursor))) return null;
  const asked = (kind: Asked['kind'], query: string, rest: Partial<Asked> = {}): Asked | null =>
    query.length > QUERY_LENGTH_MAX
      ? null
      : { kind, query, isSilent: false, channel: '', from: cursor, ...rest };
  const topic = TOPIC.exec(line);
  if (topic !== null) {
    const [whole, channel = '', query = ''] = topic;
    return asked('topic', query, { channel, from: cursor - whole.length });
  }
  const mention = MENTION.exec(line);
  if (mention !== null) {
    const [whole, silent, query = ''] = mention;
    const from = cursor - whole.length + whole.indexOf('@');
    return asked('mention', query, { isSilent: silent === '_', from });
  }
  const channel = CHANNEL.exec(line);
  if (channel !== null) {
    const [whole, query = ''] = channel;
    return asked('channel', query, { from: cursor - whole.length + whole.indexOf('#') });
  }
  const emoji = EMOJI.exec(line);
  if (emoji === null) return null;
  const [, query = ''] = emoji;
  return asked('emoji', query, { from: cursor - query.length - 1 });
}

/** In code, signs mean themselves. */
function isInCode(before: string): boolean {
  const fences = before.match(/^(?:```|~~~)/gm)?.length ?? 0;
  if (fences % 2 === 1) return true;
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return (line.match(/`/g)?.length ?? 0) % 2 === 1;
}

const WILDCARDS = [
  { kind: 'wildcard', name: 'all', meaning: 'everybody in the conversation' },
  { kind: 'wildcard', name: 'topic', meaning: 'everybody who wrote in the topic' },
] as const;

/** The place that one writes to, as far as completion needs it. */
export interface Writing {
  /** People who wrote there lately are meant more often. */
  readonly isNear: (userId: number) => boolean;
  readonly isChannel: boolean;
}

/** Finds what may be meant by what is typed. Its indexes are made once for each change of names. */
export class Completion {
  readonly #directory: Directory;
  #emoji: PrefixIndex<NamedEmoji> | null = null;
  #people: { readonly of: readonly Person[]; readonly index: PrefixIndex<Person> } | null = null;
  #groups: { readonly of: readonly Group[]; readonly index: PrefixIndex<Group> } | null = null;
  #channels: { readonly of: readonly Channel[]; readonly index: PrefixIndex<Channel> } | null =
    null;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  get hasEmoji(): boolean {
    return this.#emoji !== null;
  }

  /** Makes the index of people, so that the first mention need not wait for it. */
  prepare(): void {
    this.#peopleIndex();
  }

  /** Takes the emoji, once they are there. */
  setEmoji(all: readonly NamedEmoji[]): void {
    this.#emoji = new PrefixIndex(all, ({ names }) => names);
  }

  find(asked: Asked, writing: Writing): readonly Choice[] {
    switch (asked.kind) {
      case 'mention':
        return this.#mentions(asked.query, writing);
      case 'channel':
        return this.#channelIndex()
          .find(asked.query, CHOICES_MAX)
          .map((channel) => ({ kind: 'channel', channel }));
      case 'topic':
        return this.#topics(asked);
      default:
        return (this.#emoji?.find(asked.query, CHOICES_MAX) ?? []).map((emoji) => ({
          kind: 'emoji',
          emoji,
          name: emoji.names.find((name) => name.startsWith(asked.query)) ?? emoji.emoji_name,
        }));
    }
  }

  /** Finds people, for a direct message to them. */
  people(query: string, count: number): readonly Person[] {
    return this.#peopleIndex().find(query, count);
  }

  #mentions(query: string, { isNear, isChannel }: Writing): readonly Choice[] {
    const index = this.#peopleIndex();
    const people = index.find(query, CHOICES_MAX, ({ id, isBot }) =>
      isNear(id) ? 2 : isBot ? -1 : 0,
    );
    const names = new Map<string, number>();
    for (const { name } of this.#people?.of ?? []) names.set(name, (names.get(name) ?? 0) + 1);
    const found: Choice[] = people.map((person) => ({
      kind: 'person',
      person,
      isAlone: names.get(person.name) === 1,
    }));
    const groups = this.#groupIndex().find(query, CHOICES_MAX);
    found.push(...groups.map((group): Choice => ({ kind: 'group', group })));
    const wanted = query.toLowerCase();
    const wildcards = WILDCARDS.filter(
      ({ name }) => isChannel && wanted !== '' && name.startsWith(wanted),
    );
    return [...found.slice(0, CHOICES_MAX - wildcards.length), ...wildcards];
  }

  #topics({ channel: name, query }: Asked): readonly Choice[] {
    const channel = this.#directory.channels().find((one) => one.name === name);
    if (channel === undefined) return [];
    const topics = this.#directory.topics(channel.id);
    const index = new PrefixIndex(topics, (topic) => [topicLabel(topic)]);
    const known = query === '' ? topics.slice(0, CHOICES_MAX) : index.find(query, CHOICES_MAX);
    return known.map((topic) => ({ kind: 'topic', channel: name, topic }));
  }

  #peopleIndex() {
    const of = this.#directory.people();
    if (this.#people?.of !== of) {
      const active = of.filter(({ isActive }) => isActive);
      this.#people = { of, index: new PrefixIndex(active, ({ name, email }) => [name, email]) };
    }
    return this.#people.index;
  }

  #groupIndex() {
    const of = this.#directory.groups();
    if (this.#groups?.of !== of) {
      this.#groups = { of, index: new PrefixIndex(of, ({ name }) => [name]) };
    }
    return this.#groups.index;
  }

  #channelIndex() {
    const of = this.#directory.channels();
    if (this.#channels?.of !== of) {
      this.#channels = { of, index: new PrefixIndex(of, ({ name }) => [name]) };
    }
    return this.#channels.index;
  }
}

/** Returns the text that stands for a choice; a channel may be followed by a topic. */
export function textOf(choice: Choice, isSilent: boolean): string {
  const at = isSilent ? '@_' : '@';
  switch (choice.kind) {
    case 'person': {
      const { name, id } = choice.person;
      return `${at}**${choice.isAlone ? name : `${name}|${id}`}** `;
    }
    case 'group':
      return `${at}*${choice.group.name}* `;
    case 'wildcard':
      return `${at}**${choice.name}** `;
    case 'channel':
      return `#**${choice.channel.name}** `;
    case 'topic':
      return `#**${choice.channel}>${choice.topic}** `;
    default:
      return `:${choice.name}: `;
  }
}

/** A text, and where the cursor is in it. */
export interface Edited {
  readonly text: string;
  readonly cursor: number;
}

/** Puts a text in the place of what is between two places, and the cursor behind it. */
export const replaced = (
  text: string,
  { from, to, by }: { readonly from: number; readonly to: number; readonly by: string },
): Edited => ({ text: text.slice(0, from) + by + text.slice(to), cursor: from + by.length });
