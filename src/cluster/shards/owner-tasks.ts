import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import type { HeldShard } from './held-shard.ts';

/** The owner of a shard does here what an operator wants of it, at whichever node. */
const ownerSubject = (shard: number) => `confab.owner.${shard}`;

/** Something that only the owner of a shard can do. */
export type OwnerTask = 'mark' | 'upgrade';

type Answer =
  /** What was done is record `sequence` of the log. */
  | readonly ['done', node: string, sequence: number, nodes: readonly string[]]
  /** Another node owns the shard, or it is not known whether the record is stored. */
  | readonly ['not done'];

/** What a task has come to. */
export interface DoneTask {
  /** The owner. */
  readonly node: string;
  readonly sequence: number;
  /** The nodes that the owner has heard of in the last minute. */
  readonly nodes: readonly string[];
}

interface ServingInput {
  readonly bus: Bus;
  readonly node: string;
  readonly held: HeldShard;
  readonly known: () => readonly string[];
}

/** Does tasks as the owner of a shard. Returns what ends that. */
export const serveTasks = ({ bus, ...input }: ServingInput): (() => void) =>
  bus.serve(ownerSubject(input.held.number), async (body) => {
    const task = unpacked<OwnerTask>(body);
    return packed(await answerTo(task, input));
  });

async function answerTo(
  task: OwnerTask,
  { node, held, known }: Omit<ServingInput, 'bus'>,
): Promise<Answer> {
  if (!held.isOwned()) return ['not done'];
  const done = { mark: held.mark, upgrade: held.upgrade }[task];
  try {
    const { sequence } = await done();
    return ['done', node, sequence, known()];
  } catch {
    // It owns the shard no more, and the next owner is asked.
    return ['not done'];
  }
}

/** The log is waited for longer by an append, and a shard that moves has an owner in seconds. */
const TASK_MS_MAX = 15_000;
const AGAIN_MS = 200;

/** Asks whoever owns a shard, this node too. Resolves with undefined if nobody has done it. */
export async function askOwner(
  bus: Bus,
  shard: number,
  task: OwnerTask,
): Promise<DoneTask | undefined> {
  const until = performance.now() + TASK_MS_MAX;
  while (performance.now() < until) {
    const answer = await tryOnce(bus, shard, task);
    if (answer?.[0] === 'done') {
      const [, node, sequence, nodes] = answer;
      return { node, sequence, nodes };
    }
    await pause(AGAIN_MS);
  }
  return undefined;
}

async function tryOnce(bus: Bus, shard: number, task: OwnerTask): Promise<Answer | undefined> {
  try {
    return unpacked<Answer>(await bus.ask(ownerSubject(shard), packed(task), TASK_MS_MAX));
  } catch {
    return undefined;
  }
}
