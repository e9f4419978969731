import { ArchiveError } from '../../../archives/archive-error.ts';
import {
  IMPORTED_CONVERSATIONS_MAX,
  IMPORTED_PEOPLE_MAX,
  IMPORTED_SUBSCRIPTIONS_MAX,
} from '../../../domain/limits/archives.ts';

/** Counts what a reader keeps until the end. Throws `ArchiveError` when it is too much. */
export class Bound {
  private count = 0;
  private readonly what: string;
  private readonly max: number;

  constructor(what: string, max: number) {
    this.what = what;
    this.max = max;
  }

  add(more = 1): void {
    this.count += more;
    if (this.count <= this.max) return;
    const max = this.max.toLocaleString('en-US');
    throw new ArchiveError(
      `The archive has more than ${max} ${this.what}, which is the most that an import holds.`,
    );
  }
}

/** A map that throws `ArchiveError` instead of taking more keys than its bound. */
class BoundedMap<Value> extends Map<string, Value> {
  private readonly bound: Bound;

  constructor(what: string, max: number) {
    super();
    this.bound = new Bound(what, max);
  }

  override set(key: string, value: Value): this {
    if (!this.has(key)) this.bound.add();
    return super.set(key, value);
  }
}

const CONVERSATIONS = 'channels and direct conversations';

/** Returns a map for people by the ids of the source. */
export const peopleMap = <Value>(): Map<string, Value> =>
  new BoundedMap<Value>('people', IMPORTED_PEOPLE_MAX);

/** Returns a map for channels and direct conversations by the ids of the source. */
export const conversationMap = <Value>(): Map<string, Value> =>
  new BoundedMap<Value>(CONVERSATIONS, IMPORTED_CONVERSATIONS_MAX);

export const conversationBound = (): Bound => new Bound(CONVERSATIONS, IMPORTED_CONVERSATIONS_MAX);

export const groupBound = (): Bound => new Bound('groups', IMPORTED_CONVERSATIONS_MAX);

export const memberBound = (): Bound => new Bound('members of groups', IMPORTED_SUBSCRIPTIONS_MAX);

export const subscriptionBound = (): Bound =>
  new Bound('subscriptions', IMPORTED_SUBSCRIPTIONS_MAX);
