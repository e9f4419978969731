import { APPEND_MS, ATTEMPT_MS, RECORD_BYTES_MAX, requireFitting } from '../bounds.ts';
import { BrokenLogError, ClusterClosedError, LogUnreachableError } from '../errors.ts';
import type { NewRecord, ShardLog, StoredRecord, Tail, TailInput } from '../shard-log.ts';
import type { Attempt } from './faults.ts';
import { type MemoryLink, NEVER } from './memory-link.ts';
import type { MemoryShard } from './memory-shard.ts';

interface Opened {
  readonly shard: number;
  readonly stored: MemoryShard;
  readonly link: MemoryLink;
}

/** Opens the log of a shard as one node sees it. */
export function openMemoryLog(opened: Opened): ShardLog {
  const { stored, link } = opened;
  return {
    first: () => link.ask(() => stored.first()),
    last: () => link.ask(() => stored.last()),
    record: (sequence) => link.ask(() => stored.at(sequence)),
    append: (record) => append(opened, record),
    tail: (input) => openTail(opened, input),
    forgetBefore: (sequence) => link.ask(() => stored.forgetBefore(sequence)),
  };
}

async function append(opened: Opened, record: NewRecord): Promise<'stored' | 'refused'> {
  const { shard, link } = opened;
  requireFitting(record.body, RECORD_BYTES_MAX);
  const since = link.clock.now();
  for (let number = 1; ; number += 1) {
    if (link.isClosed()) throw new ClusterClosedError('The node was closed');
    const outcome = await link.within(ATTEMPT_MS, attempt(opened, { shard, record, number }));
    if (outcome !== undefined) return outcome;
    if (link.clock.now() - since >= APPEND_MS) {
      throw new LogUnreachableError(`Nobody confirmed the append within ${APPEND_MS} ms`);
    }
  }
}

/** Makes one attempt. The promise never resolves if its answer does not reach the node. */
async function attempt({ stored, link }: Opened, made: Attempt): Promise<'stored' | 'refused'> {
  if (!link.sends()) return NEVER;
  // The request is under way: it arrives, even if the node is closed meanwhile.
  const fate = (await link.faults.onAttempt?.(made)) ?? 'arrives';
  if (fate === 'lost') return NEVER;
  const outcome = fate === 'refused' ? 'refused' : stored.store(made.record);
  if (fate === 'unanswered') return NEVER;
  await link.faults.onAnswer?.(made, outcome);
  return link.hears() ? outcome : NEVER;
}

function openTail({ shard, stored, link }: Opened, input: TailInput): Tail {
  let isStopped = false;
  let wake = () => {};
  let tellStopped = () => {};
  const stopped = new Promise<void>((resolve) => {
    tellStopped = resolve;
  });
  const signal = () => wake();
  const unwatch = [stored.watch(signal), link.watch(signal)];
  const isOver = () => isStopped || link.isClosed();

  async function read(): Promise<void> {
    let next = input.from;
    let before: StoredRecord | undefined;
    while (!isOver()) {
      const record = await nextRecord(next, before);
      if (record === undefined) return;
      await Promise.race([link.faults.onRecord?.(shard, record.sequence), stopped]);
      if (isOver()) return;
      await input.onRecord(record);
      before = record;
      next += 1;
    }
  }
  /** Resolves with undefined when the reader has stopped. */
  async function nextRecord(
    next: number,
    before: StoredRecord | undefined,
  ): Promise<StoredRecord | undefined> {
    while (!isOver()) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (link.sends() && link.hears()) {
        requireWhole(stored, next, before);
        const record = stored.at(next);
        if (record !== undefined) return record;
      }
      await changed;
    }
    return undefined;
  }

  const reading = read()
    .catch((error: unknown) => {
      if (!isStopped) input.onBroken(error instanceof Error ? error : new Error(String(error)));
    })
    .finally(() => {
      for (const end of unwatch) end();
    });
  return {
    // Records are seen at once here, unless the node is cut off.
    noteLast: signal,
    async stop() {
      isStopped = true;
      tellStopped();
      wake();
      await reading;
    },
  };
}

/** Throws if the log does not go on where a reader is. */
function requireWhole(stored: MemoryShard, next: number, before: StoredRecord | undefined): void {
  if (stored.first() > next) {
    throw new BrokenLogError(`The log begins with record ${stored.first()}, and ${next} is next`);
  }
  if (stored.last() < next - 1) {
    throw new BrokenLogError(`The log ends with record ${stored.last()}, and ${next} is next`);
  }
  const now = stored.at(next - 1);
  if (before !== undefined && now !== undefined && now.id !== before.id) {
    throw new BrokenLogError(`The log has another record ${next - 1} than it had`);
  }
}
