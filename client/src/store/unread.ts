import type { Snapshot } from '../calls.ts';
import type { Mutes } from './mutes.ts';
import { ascending, got, topicKey } from './objects.ts';

/** The place of a message: a topic of a channel, or the other people of a direct conversation. */
export type Place =
  | { readonly channelId: number; readonly topic: string }
  | { readonly userIds: readonly number[] };

/** Unread messages of a topic. */
export interface UnreadTopic {
  readonly channelId: number;
  /** As it was written last. */
  topic: string;
  readonly ids: Set<number>;
}

/** Unread messages of a direct conversation. */
export interface UnreadDirect {
  /** The other people, ascending; the user alone in the conversation with oneself. */
  readonly userIds: readonly number[];
  readonly ids: Set<number>;
}

/** The server lists as many; a bot that reads nothing would hold ever more. */
export const UNREAD_MAX = 50_000;

type List = UnreadTopic | UnreadDirect;

interface NewUnread {
  readonly id: number;
  readonly place: Place;
  readonly isMentioned: boolean;
  /** By a wildcard, which counts only while the topic is heard. */
  readonly isWildcard?: boolean;
}

/** Messages that the user has not read: each is in one list, and found by its id. */
export class Unread {
  /** By channel, then by the topic in lower case; there are no empty ones. */
  readonly topics = new Map<number, Map<string, UnreadTopic>>();
  /** By `directKey`. */
  readonly directs = new Map<string, UnreadDirect>();
  /** Mentions of the user's own, and the wildcards that the register reply counted. */
  readonly mentions: Set<number>;
  /** Wildcards whose events came. */
  readonly wildcards = new Set<number>();
  /** Tells that there are more: only the newest are listed. */
  isIncomplete: boolean;
  readonly #places = new Map<number, List>();
  readonly #mutes: Mutes;

  constructor(ownId: number, listed: Snapshot['unread_msgs'], mutes: Mutes) {
    this.#mutes = mutes;
    this.mentions = new Set(listed?.mentions);
    this.isIncomplete = listed?.old_unreads_missing ?? false;
    for (const { stream_id: channelId, topic, unread_message_ids: ids } of listed?.streams ?? []) {
      this.#put(this.#topic(channelId, topic), ids);
    }
    for (const { other_user_id: other, unread_message_ids: ids } of listed?.pms ?? []) {
      this.#put(this.#direct([other]), ids);
    }
    for (const { user_ids_string: all, unread_message_ids: ids } of listed?.huddles ?? []) {
      const others = all.split(',').map(Number);
      this.#put(this.#direct(others.filter((id) => id !== ownId)), ids);
    }
  }

  has(id: number): boolean {
    return this.#places.has(id);
  }

  /** Returns where an unread message is. */
  placeOf(id: number): Place | undefined {
    return this.#places.get(id);
  }

  inTopic(channelId: number, topic: string): number {
    return this.topics.get(channelId)?.get(topicKey(topic))?.ids.size ?? 0;
  }

  /** Counts the heard and the muted ones of a channel apart. */
  inChannel(channelId: number): { heard: number; muted: number } {
    const counts = { heard: 0, muted: 0 };
    for (const { topic, ids } of this.topics.get(channelId)?.values() ?? []) {
      counts[this.#mutes.isMuted(channelId, topic) ? 'muted' : 'heard'] += ids.size;
    }
    return counts;
  }

  inDirect(userIds: readonly number[]): number {
    return this.directs.get(directKey(userIds))?.ids.size ?? 0;
  }

  /** Counts all that is heard: muted messages are listed, but do not count. */
  total(): number {
    let count = 0;
    for (const channelId of this.topics.keys()) count += this.inChannel(channelId).heard;
    for (const { ids } of this.directs.values()) count += ids.size;
    return count;
  }

  /** Returns unread messages that mention the user, ascending; wildcards only where it is heard. */
  mentionIds(): number[] {
    const heard = [...this.wildcards].filter((id) => this.#isHeard(id));
    return ascending([...this.mentions, ...heard]);
  }

  /** Returns the unread messages of a place, ascending. */
  idsIn(place: Place): number[] {
    return ascending(this.#find(place)?.ids ?? []);
  }

  /** Returns false if the message was unread before. */
  add({ id, place, isMentioned, isWildcard = false }: NewUnread): boolean {
    if (this.has(id)) return false;
    this.#put(
      'userIds' in place ? this.#direct(place.userIds) : this.#topic(place.channelId, place.topic),
      [id],
    );
    this.#mark(id, isMentioned, isWildcard);
    if (this.#places.size >= UNREAD_MAX) this.#makeRoom();
    return true;
  }

  /** Returns false if none of them was unread. */
  forget(ids: Iterable<number>): boolean {
    let isChanged = false;
    for (const id of ids) {
      const list = this.#places.get(id);
      if (list === undefined) continue;
      isChanged = true;
      this.#take(id, list);
      this.mentions.delete(id);
      this.wildcards.delete(id);
    }
    return isChanged;
  }

  forgetAll(): void {
    for (const known of [this.topics, this.directs, this.mentions, this.wildcards, this.#places]) {
      known.clear();
    }
  }

  forgetChannel(channelId: number): boolean {
    const topics = [...(this.topics.get(channelId)?.values() ?? [])];
    return this.forget(topics.flatMap(({ ids }) => [...ids]));
  }

  /** Moves those that are unread and in the first channel; without a topic they keep theirs. */
  move(ids: readonly number[], from: number, to: { channelId: number; topic?: string }): boolean {
    let isChanged = false;
    for (const id of ids) {
      const list = this.#places.get(id);
      if (list === undefined || !('channelId' in list) || list.channelId !== from) continue;
      isChanged = true;
      this.#take(id, list);
      const moved = this.#topic(to.channelId, to.topic ?? list.topic);
      moved.topic = to.topic ?? list.topic;
      this.#put(moved, [id]);
    }
    return isChanged;
  }

  /** An edited message mentions others than before. */
  mentionAnew(id: number, isMentioned: boolean, isWildcard: boolean): boolean {
    const before = this.mentions.has(id) || this.wildcards.has(id);
    this.mentions.delete(id);
    this.wildcards.delete(id);
    if (this.has(id)) this.#mark(id, isMentioned, isWildcard);
    return before || isMentioned || isWildcard;
  }

  /** Forgets what came first, as the server would. */
  #makeRoom() {
    this.isIncomplete = true;
    const [oldest] = this.#places.keys();
    if (this.#places.size > UNREAD_MAX && oldest !== undefined) this.forget([oldest]);
  }

  #mark(id: number, isMentioned: boolean, isWildcard: boolean) {
    if (isMentioned) this.mentions.add(id);
    else if (isWildcard) this.wildcards.add(id);
  }

  #isHeard(id: number): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    return 'userIds' in place || !this.#mutes.isMuted(place.channelId, place.topic);
  }

  #find(place: Place): List | undefined {
    if ('userIds' in place) return this.directs.get(directKey(place.userIds));
    return this.topics.get(place.channelId)?.get(topicKey(place.topic));
  }

  #topic(channelId: number, topic: string): UnreadTopic {
    const ofChannel = got(this.topics, channelId, () => new Map<string, UnreadTopic>());
    return got(ofChannel, topicKey(topic), () => ({ channelId, topic, ids: new Set<number>() }));
  }

  #direct(others: readonly number[]): UnreadDirect {
    return got(this.directs, directKey(others), () => ({
      userIds: ascending(others),
      ids: new Set<number>(),
    }));
  }

  #put(list: List, ids: readonly number[]) {
    for (const id of ids) {
      list.ids.add(id);
      this.#places.set(id, list);
    }
  }

  #take(id: number, list: List) {
    list.ids.delete(id);
    this.#places.delete(id);
    if (list.ids.size > 0) return;
    if ('userIds' in list) {
      this.directs.delete(directKey(list.userIds));
      return;
    }
    const ofChannel = this.topics.get(list.channelId);
    ofChannel?.delete(topicKey(list.topic));
    if (ofChannel?.size === 0) this.topics.delete(list.channelId);
  }
}

/** Returns the name of a direct conversation: the ids of the other people, ascending. */
export const directKey = (others: readonly number[]): string => ascending(others).join();
