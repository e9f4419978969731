import { BrokenLogError, ClusterClosedError } from '../errors.ts';
import type { StoredRecord, Tail, TailInput } from '../shard-log.ts';
import { openArrivals } from './arrivals.ts';
import { openLooks } from './looks.ts';
import { readBatch, recordIn } from './nats-batch.ts';
import { recordOf } from './nats-records.ts';
import { tailOf } from './nats-streams.ts';
import type { OpenedStream } from './opened-stream.ts';

/** How long a record that was announced may be on its way before it is read from the stream. */
const GRACE_MS = 100;
/** An idle reader looks so often whether it has missed the last record, if nobody tells it. */
const LOOK_MS = 2_000;
const AGAIN_MS = 250;
/** The ids of the last records that were handed on, to see that none is replaced. */
const IDS_MAX = 1_000;
/** How often a record is asked for that the log should have. */
const ATTEMPTS_MAX = 20;

/**
 * Follows the stream of a shard. Records come by a core subject, to which the stream republishes
 * them; those that were lost there are read from the stream.
 */
export function openNatsTail(stream: OpenedStream, input: TailInput): Tail {
  const reader = new Reader(stream, input);
  return { noteLast: (sequence) => reader.noteLast(sequence), stop: () => reader.stop() };
}

class Reader {
  readonly #stream: OpenedStream;
  readonly #input: TailInput;
  readonly #arrivals = openArrivals();
  readonly #looks: ReturnType<typeof openLooks>;
  readonly #ids = new Map<number, string>();
  readonly #ends: (() => void)[] = [];
  /** The record that is being taken. */
  #taking: Promise<void> | undefined;
  #next: number;
  /** The highest number that the log is known to have. */
  #highest = 0;
  /** When the record that is next may be read from the stream. */
  #readAt = 0;
  #lookAt = 0;
  /** The servers were lost meanwhile: nobody knows what they lost. */
  #isDoubted = false;
  #isStopped = false;
  #wake = () => {};

  constructor(stream: OpenedStream, input: TailInput) {
    this.#stream = stream;
    this.#input = input;
    this.#next = input.from;
    this.#looks = openLooks(stream);
    this.#listen();
    void this.#read().finally(() => this.#end());
  }

  noteLast(sequence: number): void {
    // The owner may say so before the record itself has come.
    if (sequence > this.#highest) this.#readAt = Date.now() + GRACE_MS;
    this.#note(sequence);
  }

  #note(sequence: number): void {
    if (sequence >= this.#next && this.#highest < this.#next) this.#readAt = Date.now() + GRACE_MS;
    this.#highest = Math.max(this.#highest, sequence);
    // The owner tells more often than a reader would look.
    this.#lookAt = Date.now() + LOOK_MS;
    if (sequence >= this.#next) this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    this.#wake();
    // A question to the servers may be under way; what it is answered is of no use any more.
    await this.#taking;
  }

  #listen(): void {
    const { link, shard } = this.#stream;
    const subscription = link.connection.subscribe(tailOf(shard), {
      callback: (error, message) => {
        const record = error === null ? recordIn(message) : undefined;
        if (record !== undefined) this.#arrived(record);
        else if (error !== null) this.#break(error);
      },
    });
    this.#ends.push(() => subscription.unsubscribe());
    const unwatch = link.watch(() => {
      this.#isDoubted = true;
      this.#lookAt = 0;
      this.#wake();
    });
    this.#ends.push(unwatch);
  }

  #arrived(record: StoredRecord): void {
    const { sequence, id } = record;
    if (sequence >= this.#next) {
      this.#arrivals.add(record);
      this.#note(sequence);
      return;
    }
    const known = this.#ids.get(sequence);
    if (known === id) return;
    if (known !== undefined) this.#break(another(sequence));
    // It is older than all that is known here: the log may have been cut back.
    this.#isDoubted = true;
    this.#lookAt = 0;
    this.#wake();
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#step();
      } catch (error) {
        if (error instanceof ClusterClosedError || this.#stream.link.connection.isClosed()) return;
        if (error instanceof BrokenLogError) this.#break(error);
        else if (error instanceof NotTaken) this.#break(error.why);
        // The servers are not reached, or have no leader: that passes.
        else await this.#sleep(AGAIN_MS);
      }
    }
  }

  async #step(): Promise<void> {
    if (this.#isDoubted) return this.#verify();
    const record = this.#arrivals.take(this.#next);
    if (record !== undefined) return this.#hand(record);
    const now = Date.now();
    if (this.#highest >= this.#next) {
      if (now >= this.#readAt) return this.#readOn();
      return this.#sleep(this.#readAt - now);
    }
    if (now < this.#lookAt) return this.#sleep(this.#lookAt - now);
    return this.#look();
  }

  /** Checks that the log still has the record that was handed on last. */
  async #verify(): Promise<void> {
    await this.#stream.link.reached(LOOK_MS);
    const last = this.#next - 1;
    const id = this.#ids.get(last);
    this.#isDoubted = false;
    try {
      const record = id === undefined ? undefined : await recordOf(this.#stream, last);
      if (record !== undefined && record.id !== id) throw another(last);
      await this.#look();
    } catch (error) {
      this.#isDoubted = true;
      throw error;
    }
  }

  async #look(): Promise<void> {
    const last = await this.#looks.look(this.#next);
    this.#highest = Math.max(this.#highest, last);
    const isShort = last < this.#next - 1;
    // Nodes do not all look at the same time.
    const wait = LOOK_MS * (0.75 + Math.random() / 2);
    this.#lookAt = Date.now() + (isShort ? LOOK_MS / 2 : wait);
    if (isShort) this.#highest = last;
  }

  /** Reads the records that are missing, until the next one has come by itself. */
  async #readOn(): Promise<void> {
    const records = await readBatch(this.#stream, this.#next);
    for (const record of records) {
      if (this.#isStopped) return;
      await this.#hand(record);
    }
    if (records.length === 0) await this.#readOne();
  }

  /** Reads one record from the leader, as the server that was asked did not have it. */
  async #readOne(): Promise<void> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX && !this.#isStopped; attempts += 1) {
      const record = await recordOf(this.#stream, this.#next);
      if (record !== undefined) return this.#hand(record);
      // Throws if the log begins later. It may also end before, if somebody was wrong.
      const last = await this.#looks.look(this.#next);
      if (last < this.#next) {
        this.#highest = last;
        return;
      }
      await this.#sleep(AGAIN_MS);
    }
    if (!this.#isStopped) {
      throw new BrokenLogError(`The log no longer has record ${this.#next}, which is next`);
    }
  }

  async #hand(record: StoredRecord): Promise<void> {
    if (this.#isStopped) return;
    const taking = (async () => this.#input.onRecord(record))();
    this.#taking = taking.catch(() => {});
    try {
      await taking;
    } catch (error) {
      throw new NotTaken(error);
    }
    this.#ids.set(record.sequence, record.id);
    this.#ids.delete(record.sequence - IDS_MAX);
    this.#next = record.sequence + 1;
  }

  #break(error: Error): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#end();
    this.#wake();
    this.#input.onBroken(error);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

const another = (sequence: number) =>
  new BrokenLogError(`The log has another record ${sequence} than it had`);

/** The one who follows could not take a record. */
class NotTaken extends Error {
  readonly why: Error;

  constructor(why: unknown) {
    super('A record was not taken', { cause: why });
    this.why = why instanceof Error ? why : new Error(String(why));
  }
}
