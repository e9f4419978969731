import { EXTRA_EMOJI } from '../../../domain/rules/texts/emoji.ts';
import type { HistoryReaction } from '../../history.ts';
import { type Fields, idOf, textOf } from '../shared/fields.ts';
import { push } from './groups.ts';

/** All reactions lie in one list, which is kept until their messages come: 16 bytes for each. */
const REACTIONS_MAX = 5_000_000;
/** Different emoji of all reactions; there are some 4,000 of Unicode. */
const EMOJI_MAX = 20_000;
const ROOM_FIRST = 1_024;
/** Bits of the number of a reaction, behind the id of its message. */
const NUMBER_BITS = 23n;
const NUMBER_MASK = 0x7fffff;
const [MESSAGE_MAX, USER_MAX] = [2 ** 40, 2 ** 32];

export class ReactionList {
  /** The id of the message and the number of the reaction, so that a sort brings both together. */
  private keys = new BigUint64Array(ROOM_FIRST);
  private users = new Uint32Array(ROOM_FIRST);
  private emoji = new Uint32Array(ROOM_FIRST);
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();
  private count = 0;
  private isSorted = true;

  /** Takes a row; returns why it is left out, or null. */
  add(row: Fields): string | null {
    const name = emojiOf(row);
    if (name === '') return 'It has no emoji.';
    const message = numberOf(row['message'], MESSAGE_MAX);
    const user = numberOf(row['user_profile'], USER_MAX);
    if (message === null || user === null) return 'It is of no message or of nobody.';
    if (this.count >= REACTIONS_MAX) return `More than ${REACTIONS_MAX} reactions are not taken.`;
    const emoji = this.numbers.get(name) ?? this.names.length;
    if (emoji >= EMOJI_MAX) return `More than ${EMOJI_MAX} different emoji are not taken.`;
    if (emoji === this.names.length) {
      this.names.push(name);
      this.numbers.set(name, emoji);
    }
    if (this.count === this.users.length) this.makeRoom();
    this.keys[this.count] = (BigInt(message) << NUMBER_BITS) | BigInt(this.count);
    this.users[this.count] = user;
    this.emoji[this.count] = emoji;
    this.count += 1;
    this.isSorted = false;
    return null;
  }

  of(message: string): HistoryReaction[] {
    const id = numberOf(message, MESSAGE_MAX);
    if (id === null || this.count === 0) return [];
    if (!this.isSorted) this.keys.subarray(0, this.count).sort();
    this.isSorted = true;
    const users = new Map<string, string[]>();
    const wanted = BigInt(id);
    for (let at = this.firstFrom(wanted << NUMBER_BITS); at < this.count; at += 1) {
      const key = this.keys[at] ?? 0n;
      if (key >> NUMBER_BITS !== wanted) break;
      const number = Number(key & BigInt(NUMBER_MASK));
      push(users, this.names[this.emoji[number] ?? 0] ?? '', String(this.users[number]));
    }
    return Array.from(users, ([emoji, of]) => ({ emoji, users: of }));
  }

  /** Returns the place of the first key that is not less. */
  private firstFrom(wanted: bigint): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? 0n) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private makeRoom(): void {
    const [keys, users, emoji] = [this.keys, this.users, this.emoji];
    this.keys = new BigUint64Array(keys.length * 2);
    this.users = new Uint32Array(users.length * 2);
    this.emoji = new Uint32Array(emoji.length * 2);
    this.keys.set(keys);
    this.users.set(users);
    this.emoji.set(emoji);
  }
}

/** Returns a whole number below a bound, which may be written as a text. */
function numberOf(value: unknown, below: number): number | null {
  const text = idOf(value);
  const number = /^\d{1,15}$/.test(text) ? Number(text) : below;
  return number < below ? number : null;
}

/**
 * Unicode emoji have code points as their code: `1f468-200d-1f373`. The one emoji that the service
 * adds to them is that of this service.
 */
export function emojiOf(row: Fields): string {
  const code = textOf(row['emoji_code']);
  if (row['reaction_type'] === 'zulip_extra_emoji') return EXTRA_EMOJI;
  const isUnicode = (row['reaction_type'] ?? 'unicode_emoji') === 'unicode_emoji';
  if (!isUnicode || !/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}$/.test(code)) {
    return textOf(row['emoji_name']).slice(0, 200);
  }
  const points = code.split('-').map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10ffff)
    ? String.fromCodePoint(...points)
    : textOf(row['emoji_name']).slice(0, 200);
}
