import type { CountedLog } from '../log/counted-log.ts';
import type { HeldShard } from './declaration.ts';

interface SlotsInput {
  /** The logs of all shards. */
  readonly logs: readonly CountedLog[];
  /** The shards of which the node had whole copies when it started. */
  readonly former: readonly number[];
  /** Opens a shard, which begins to join; `onFailed` is called when it cannot be held any more. */
  readonly open: (log: CountedLog, number: number, onFailed: (error: unknown) => void) => HeldShard;
  /** A shard that was joined cannot be held any more. */
  readonly onFatal: (error: unknown) => void;
  /** The shards of which this node has a whole copy are others now. */
  readonly onHolds: (holds: readonly number[]) => void;
  /** Makes sure that what is removed is nothing but copies. */
  readonly beforeDrop: (number: number) => Promise<void>;
  /** Forgets the realms of a shard that is closed, and their stores. */
  readonly drop: (number: number) => Promise<void>;
}

/** The shards of the cluster, as places of this node: it holds those that it has opened. */
export interface Slots {
  readonly count: number;
  /** Resolves with true if nothing has ever happened in a shard. */
  isEmpty(number: number): Promise<boolean>;
  /** Returns a shard that is held, or being joined. */
  held(number: number): HeldShard | undefined;
  /** Returns all of those. */
  all(): readonly HeldShard[];
  /** Tells whether the node has a whole copy of the shard, from which it serves. */
  isWhole(number: number): boolean;
  /** Tells whether it has whole copies of all shards. */
  areAllWhole(): boolean;
  /**
   * Makes a copy, or goes on with one. Rejects, and holds nothing, if that fails; what is there
   * then is removed unless it is to be kept.
   */
  begin(number: number, options?: { readonly isKept: boolean }): Promise<void>;
  /** Closes and removes a copy. */
  giveUp(number: number): Promise<void>;
  stop(): Promise<void>;
}

export function openSlots({ logs, former, open, onFatal, onHolds, ...input }: SlotsInput): Slots {
  const opened = new Map<number, HeldShard>();
  const whole = new Set<number>();
  let isStopped = false;
  /** Copies that are not joined yet are still whole on the disk. */
  const kept = new Set(former);
  const tell = () => onHolds([...new Set([...kept, ...whole])].sort((one, other) => one - other));

  return {
    count: logs.length,
    isEmpty: async (number) => (await logs[number]?.last()) === 0,
    held: (number) => opened.get(number),
    all: () => [...opened.values()],
    isWhole: (number) => whole.has(number),
    areAllWhole: () => whole.size === logs.length,
    async begin(number, { isKept } = { isKept: false }) {
      const log = logs[number];
      if (log === undefined || isStopped || opened.has(number)) return;
      const held = open(log, number, (error) => {
        if (whole.has(number)) onFatal(error);
      });
      opened.set(number, held);
      try {
        await held.joined();
      } catch (error) {
        if (!isKept) await input.drop(number);
        opened.delete(number);
        throw error;
      }
      if (isStopped) return;
      whole.add(number);
      tell();
    },
    async giveUp(number) {
      const held = opened.get(number);
      if (held === undefined) return;
      await input.beforeDrop(number);
      // From here on requests are passed on to other nodes.
      whole.delete(number);
      kept.delete(number);
      tell();
      await held.stop();
      await input.drop(number);
      opened.delete(number);
    },
    async stop() {
      isStopped = true;
      await Promise.all(Array.from(opened.values(), (held) => held.stop()));
    },
  };
}
