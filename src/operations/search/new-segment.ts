import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import { noPostings, note, type Postings } from '../../domain/rules/search/posting-lists.ts';
import { eachTermOf } from '../../domain/rules/search/text-search.ts';
import type { Reads } from '../access/groups.ts';

/** Collects the terms of messages that are added in ascending order, each with its messages. */
export class Terms {
  readonly postings = new Map<string, Postings>();
  characters = 0;

  add(row: MessageRow) {
    const { id } = row;
    this.characters += row.content.length + row.renderedContent.length;
    eachTermOf(row, (term, run) => {
      let list = this.postings.get(term);
      if (list === undefined) {
        list = noPostings();
        this.postings.set(term, list);
      }
      note(list, id, run);
    });
  }
}

/** Tests whether the index says the same of two versions of a message. */
export const hasSameTerms = (one: MessageRow, other: MessageRow): boolean =>
  one.content === other.content &&
  one.renderedContent === other.renderedContent &&
  one.topic === other.topic;

/** The first and the last message that a segment may have. */
interface Range {
  readonly first: number;
  readonly last: number;
  /** Characters after which it has no further message. */
  readonly characters: number;
}

/**
 * The newest messages, whose terms are collected in parts. Collecting takes several times as long
 * as writing the segment, and so is done before, outside of a transaction.
 */
export class NewSegment {
  readonly first: number;
  readonly terms = new Terms();
  /** The message up to which all have been read. */
  through: number;
  isWhole = false;
  readonly #range: Range;
  readonly #rows = new Map<number, MessageRow>();

  constructor(range: Range) {
    this.#range = range;
    this.first = range.first;
    this.through = range.first - 1;
  }

  /** Reads at least one message, and more until the time is over. Returns true once it is whole. */
  read(tx: Pick<Reads, 'messages'>, isOver: () => boolean): boolean {
    if (this.isWhole) return true;
    const { last, characters } = this.#range;
    for (const [[id], row] of tx.messages.range({ start: [this.through + 1], end: [last + 1] })) {
      this.terms.add(row);
      this.#rows.set(id, row);
      this.through = id;
      this.isWhole = id === last || this.terms.characters >= characters;
      if (this.isWhole || isOver()) return this.isWhole;
    }
    this.through = last;
    this.isWhole = true;
    return true;
  }

  /** Tests whether a message has other terms now than when it was read. */
  isOlderThan(row: MessageRow): boolean {
    const read = this.#rows.get(row.id);
    return read === undefined || !hasSameTerms(read, row);
  }
}
