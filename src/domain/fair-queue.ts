import TinyQueue from 'tinyqueue';

/** The waiting items of one key, and how much of the thread the key has had. */
interface Flow<Item> {
  items: Item[];
  /** Index of the next item; the items before it have been taken. */
  next: number;
  /** The virtual time at which the next item of this key is due. */
  start: number;
  isWaiting: boolean;
}

/**
 * Keys remembered although they have no items waiting; beyond, keys that owe nothing are forgotten.
 */
const IDLE_FLOWS_MAX = 1_000;

/**
 * A queue that shares the thread fairly between keys: each key that waits gets the same share of
 * what the items cost, whatever the number or the cost of its items (start-time fair queueing:
 * Goyal, Vin and Cheng, 1996). Items of one key keep their order. `settle` follows each `take` and
 * says what the item cost, which is known only when its work is done.
 */
export class FairQueue<Key, Item> {
  private readonly flows = new Map<Key, Flow<Item>>();
  private readonly due = new TinyQueue<Flow<Item>>([], (a, b) => a.start - b.start);
  private taken: Flow<Item> | undefined;
  /** The start of the item that was taken last. A key that comes back from a pause begins here. */
  private now = 0;
  private waiting = 0;
  private flowsMax = IDLE_FLOWS_MAX;

  /** The number of items that wait. */
  get size(): number {
    return this.waiting;
  }

  /** The number of items of one key that wait. */
  sizeOf(key: Key): number {
    const flow = this.flows.get(key);
    return flow === undefined ? 0 : flow.items.length - flow.next;
  }

  push(key: Key, item: Item) {
    const flow = this.flows.get(key) ?? this.open(key);
    flow.items.push(item);
    this.waiting += 1;
    // The key that was taken last waits for `settle`, which knows when its next item is due.
    if (!flow.isWaiting && flow !== this.taken) this.await(flow);
  }

  /** Takes the next item; returns undefined if none waits. */
  take(): Item | undefined {
    if (this.taken !== undefined) this.settle(0);
    const flow = this.due.pop();
    if (flow === undefined) return undefined;
    flow.isWaiting = false;
    this.now = flow.start;
    this.taken = flow;
    this.waiting -= 1;
    const item = flow.items[flow.next];
    flow.next += 1;
    dropTaken(flow);
    return item;
  }

  /** Says what the item that was taken last has cost, in any unit that is the same for all. */
  settle(cost: number) {
    const flow = this.taken;
    if (flow === undefined) return;
    this.taken = undefined;
    flow.start += cost;
    if (flow.items.length > flow.next) this.await(flow);
    // If no other key waits, this one has not had too much.
    else if (this.due.length === 0) this.now = Math.max(this.now, flow.start);
  }

  private await(flow: Flow<Item>) {
    flow.start = Math.max(flow.start, this.now);
    flow.isWaiting = true;
    this.due.push(flow);
  }

  private open(key: Key): Flow<Item> {
    if (this.flows.size >= this.flowsMax) this.forgetIdle();
    const flow: Flow<Item> = { items: [], next: 0, start: this.now, isWaiting: false };
    this.flows.set(key, flow);
    return flow;
  }

  /** Keys that owe nothing are as good as new ones. */
  private forgetIdle() {
    for (const [key, flow] of this.flows) {
      if (!flow.isWaiting && flow !== this.taken && flow.start <= this.now) this.flows.delete(key);
    }
    this.flowsMax = Math.max(IDLE_FLOWS_MAX, 2 * this.flows.size);
  }
}

/** Items dropped at a time: shifting each would move all that wait behind it. */
const TAKEN_DROPPED = 64;

function dropTaken(flow: Flow<unknown>) {
  if (flow.next < flow.items.length && flow.next < TAKEN_DROPPED) return;
  // A list that still holds most of its items is not worth moving.
  if (flow.next * 2 < flow.items.length) return;
  flow.items = flow.items.slice(flow.next);
  flow.next = 0;
}
