import type { Request } from '../connection/http.ts';
import { ApiError, EndedError, type Fields, FullError, NetworkError } from '../errors.ts';
import {
  CONVERSATIONS_AT_ONCE,
  OUTBOX_AGE_MS_MAX,
  OUTBOX_ENTRIES_MAX,
  OUTBOX_LENGTH_MAX,
  SERVER_FAULTS_MAX,
  type Timing,
} from '../limits.ts';
import { backoff, pause, untilAborted } from '../pause.ts';
import { isBusy } from '../requests.ts';
import { randomKey } from './random-key.ts';
import type { Message, OutboxChange, OutboxRecord, OutboxStorage } from './storage.ts';

/** A message on its way. */
export interface OutboxEntry {
  /**
   * The idempotency key. The event of the message has it as `local_message_id`, if this client's
   * queue gets it.
   */
  readonly key: string;
  readonly message: Message;
  /** UNIX ms at which it was written, or sent again by the user. */
  readonly since: number;
  /**
   * `pending` waits or is being sent; `sent` has left the outbox; `refused` has the words of the
   * server in `refusal`; `expired` is so old that sending it again might double it, so the user
   * decides.
   */
  readonly state: 'pending' | 'sent' | 'refused' | 'expired';
  readonly refusal: ApiError | undefined;
  /** The id of the sent message. */
  readonly id: number | undefined;
  /** Resolves when the storage holds the entry, so that it survives a crash of the client. */
  readonly kept: Promise<void>;
  /** Resolves when it was sent; rejects when it is refused, expires or is discarded. */
  readonly sent: Promise<{ readonly id: number }>;
}

export interface OutboxInput {
  readonly storage: OutboxStorage;
  /** Makes one attempt. */
  readonly attempt: (request: Request, signal: AbortSignal) => Promise<Fields>;
  /** Resolves when the connection is up. */
  readonly whenUp: (signal: AbortSignal) => Promise<void>;
  readonly queueId: () => string | undefined;
  readonly changed: (entries: readonly OutboxEntry[]) => void;
  /** Told of errors of the storage; the outbox goes on in memory. */
  readonly failed: (error: unknown) => void;
  readonly timing: Timing;
  readonly random: () => number;
  readonly now: () => number;
}

/**
 * Sends messages in the order of their conversation, each until the server has said what became of
 * it. An entry is stored before its first attempt, and removed after the answer.
 */
export class Outbox {
  private readonly items = new Map<string, Item>();
  private readonly busy = new Set<string>();
  private readonly closing = new AbortController();
  private readonly input: OutboxInput;
  private lastOrder = 0;
  private length = 0;
  private isSender = false;
  private stopListening: (() => void) | undefined;
  /** Everybody waits until then, as the server has asked for it. */
  private notBefore = 0;

  constructor(input: OutboxInput) {
    this.input = input;
  }

  /** Loads what is stored, and sends until the outbox is closed. */
  async run(): Promise<void> {
    const { storage, failed } = this.input;
    // Changes that come while the entries are read are newer than these.
    let early: OutboxChange[] | null = [];
    this.stopListening = storage.onChange?.((change) => {
      if (early === null) this.heard(change);
      else early.push(change);
    });
    try {
      for (const record of await storage.load()) {
        if (!this.items.has(record.key)) this.admit(record);
      }
    } catch (error) {
      failed(error);
    }
    for (const change of early) this.heard(change);
    early = null;
    this.tell();
    const send = async () => {
      this.isSender = true;
      this.pump();
      await untilAborted(this.closing.signal);
    };
    try {
      await storage.asOnlySender?.(send, this.closing.signal);
    } catch (error) {
      failed(error); // it is better that two send than that nobody does
    }
    await send();
  }

  /** Returns the entries that were not sent, in their order. */
  entries(): readonly OutboxEntry[] {
    return [...this.items.values()].sort((one, other) => one.record.order - other.record.order);
  }

  get waiting(): number {
    let waiting = 0;
    for (const { state } of this.items.values()) if (state === 'pending') waiting += 1;
    return waiting;
  }

  add(message: Message, key: string = randomKey()): OutboxEntry {
    const known = this.items.get(key);
    if (known !== undefined) return known;
    this.refuseOverflow(message);
    const since = this.input.now();
    this.lastOrder = Math.max(since, this.lastOrder + 1);
    const item = this.admit({ key, order: this.lastOrder, message, since, state: 'pending' });
    this.store(item);
    this.tell();
    void item.kept.catch(() => undefined).then(() => this.pump());
    return item;
  }

  /** Takes an entry out. It may have reached the server, unless it was refused. */
  discard(key: string) {
    const item = this.items.get(key);
    if (item === undefined) return;
    item.leave.abort();
    this.remove(item);
    item.reject(new EndedError('The message was discarded'));
    this.tell();
  }

  /** Sends a refused or expired entry again, as the user wants it. */
  retry(key: string) {
    const item = this.items.get(key);
    if (item === undefined || item.state === 'pending') return;
    const { refusal: _, ...record } = item.record;
    item.again({ ...record, state: 'pending', since: this.input.now() });
    this.store(item);
    this.tell();
    void item.kept.catch(() => undefined).then(() => this.pump());
  }

  close() {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.stopListening?.();
    for (const item of this.items.values()) {
      item.leave.abort();
      item.reject(new EndedError('The client was closed; the outbox still has the message'));
    }
  }

  private refuseOverflow(message: Message) {
    if (this.closing.signal.aborted) throw new EndedError('The client was closed');
    if (this.items.size >= OUTBOX_ENTRIES_MAX) {
      throw new FullError(`The outbox holds ${OUTBOX_ENTRIES_MAX} messages already`);
    }
    if (this.length + JSON.stringify(message).length > OUTBOX_LENGTH_MAX) {
      throw new FullError(
        `The messages of the outbox have ${OUTBOX_LENGTH_MAX} characters already`,
      );
    }
  }

  private admit(record: OutboxRecord): Item {
    const item = new Item(record);
    this.items.set(record.key, item);
    this.length += item.length;
    this.lastOrder = Math.max(this.lastOrder, record.order);
    return item;
  }

  private store(item: Item) {
    const { storage, failed } = this.input;
    const { key, record } = item;
    item.kept = storage.put(record).then(() => storage.announce?.({ key, record }));
    item.kept.catch(failed);
  }

  private remove(item: Item, sentId?: number) {
    const { storage, failed } = this.input;
    if (!this.items.delete(item.key)) return;
    this.length -= item.length;
    const change = { key: item.key, ...(sentId === undefined ? {} : { sentId }) };
    // It is removed behind the write that stored it.
    item.kept
      .catch(() => undefined)
      .then(() => storage.remove(item.key))
      .then(() => storage.announce?.(change))
      .catch(failed);
  }

  private tell() {
    if (!this.closing.signal.aborted) this.input.changed(this.entries());
  }

  /** Follows what another tab did to the storage. */
  private heard({ key, record, sentId }: OutboxChange) {
    const item = this.items.get(key);
    if (record !== undefined) {
      if (item === undefined) this.admit(record);
      else if (item.state !== record.state) item.again(record);
    } else if (item !== undefined) {
      this.items.delete(key);
      this.length -= item.length;
      item.leave.abort();
      if (sentId === undefined) item.reject(new EndedError('The message was discarded'));
      else item.resolve(sentId);
    }
    this.tell();
    this.pump();
  }

  /** Starts the next entry of each conversation that has none under way. */
  private pump() {
    if (!this.isSender || this.closing.signal.aborted) return;
    for (const item of this.entries() as readonly Item[]) {
      if (this.busy.size >= CONVERSATIONS_AT_ONCE) return;
      if (item.state !== 'pending' || this.busy.has(item.conversation)) continue;
      this.busy.add(item.conversation);
      void this.send(item).finally(() => {
        this.busy.delete(item.conversation);
        this.pump();
      });
    }
  }

  /** Sends one entry until it is known what became of it. */
  private async send(item: Item) {
    const stop = item.leave.signal;
    await item.kept.catch(() => undefined);
    for (let failures = 0, faults = 0; !stop.aborted; failures += 1) {
      await this.input.whenUp(stop);
      await pause(this.notBefore - this.input.now(), stop);
      if (stop.aborted) return;
      if (this.isTooOld(item)) return this.expire(item);
      try {
        const { id } = await this.input.attempt(this.requestOf(item), stop);
        if (typeof id !== 'number') throw new NetworkError('The answer has no id', 'unknown');
        this.remove(item, id);
        item.resolve(id);
        return this.tell();
      } catch (error) {
        if (stop.aborted) return;
        if (error instanceof ApiError && isVerdict(error)) {
          if (error.status < 500 || ++faults >= SERVER_FAULTS_MAX) return this.refuse(item, error);
        }
        await this.waitAfter(error, failures, stop);
      }
    }
  }

  private requestOf({ key, record: { message } }: Item): Request {
    const queueId = this.input.queueId();
    // The sender's own queue is told which of its sends became the message.
    const echo = queueId === undefined ? {} : { queue_id: queueId, local_id: key };
    const params = { ...message, ...echo };
    return { method: 'POST', path: '/messages', params, idempotencyKey: key };
  }

  private isTooOld({ since }: Item) {
    return this.input.now() - since >= OUTBOX_AGE_MS_MAX;
  }

  private expire(item: Item) {
    item.again({ ...item.record, state: 'expired' });
    item.reject(new EndedError('The message waited for too long'));
    this.store(item);
    this.tell();
  }

  private refuse(item: Item, error: ApiError) {
    item.again({
      ...item.record,
      state: 'refused',
      refusal: { ...error.fields, status: error.status },
    });
    item.reject(error);
    this.store(item);
    this.tell();
  }

  private async waitAfter(error: unknown, failures: number, signal: AbortSignal) {
    const { timing, random, now } = this.input;
    const ms = backoff(failures, { firstMs: timing.retryMs, maxMs: timing.retryMaxMs, random });
    if (error instanceof ApiError && isBusy(error))
      this.notBefore = Math.max(this.notBefore, now() + (error.retryAfterMs ?? ms));
    await pause(ms, signal);
  }
}

/** Tells whether the server has judged the message. An account may be let in again later. */
const isVerdict = (error: ApiError) => !isBusy(error) && error.status !== 401;

/** An entry, with its record and what ends it. */
class Item implements OutboxEntry {
  record: OutboxRecord;
  kept: Promise<void> = Promise.resolve();
  sent: Promise<{ readonly id: number }>;
  id: number | undefined;
  leave = new AbortController();
  readonly conversation: string;
  readonly length: number;
  private settle: { resolve: (sent: { id: number }) => void; reject: (error: Error) => void };

  constructor(record: OutboxRecord) {
    this.record = record;
    this.conversation = conversationOf(record.message);
    this.length = JSON.stringify(record.message).length;
    [this.sent, this.settle] = outcome();
  }

  get key() {
    return this.record.key;
  }

  get message() {
    return this.record.message;
  }

  get since() {
    return this.record.since;
  }

  get state(): OutboxEntry['state'] {
    return this.id === undefined ? this.record.state : 'sent';
  }

  get refusal(): ApiError | undefined {
    const { refusal } = this.record;
    return refusal && new ApiError(Number(refusal['status']), refusal);
  }

  resolve(id: number) {
    this.id = id;
    this.settle.resolve({ id });
  }

  reject(error: Error) {
    this.settle.reject(error);
  }

  /** Takes over another state; one that is pending again has a new outcome. */
  again(record: OutboxRecord) {
    const isRevived = this.record.state !== 'pending' && record.state === 'pending';
    this.record = record;
    if (isRevived) [this.sent, this.settle] = outcome();
  }
}

function outcome(): [Item['sent'], Item['settle']] {
  let settle: Item['settle'] | undefined;
  const sent = new Promise<{ id: number }>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // An application may look at the states instead.
  sent.catch(() => undefined);
  return [sent, settle as Item['settle']]; // the promise calls its function at once
}

/** Channels and topics ignore case, and people stand in any order. */
function conversationOf({ type, to, topic = '' }: Message): string {
  if (type === 'direct' || type === 'private') return `direct ${[to].flat().map(String).sort()}`;
  return `channel ${to}\n${topic}`.toLowerCase();
}
