import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import type { HeldShard } from './declaration.ts';

/** The owner of a shard does here what an operator wants of it, at whichever node. */
const ownerSubject = (shard: number) => `confab.owner.${shard}`;

/** Something that only the owner of a shard can do. */
export type OwnerTask =
  | readonly ['mark']
  /** To raise the schema to this one. */
  | readonly ['upgrade', schema: number];

type Answer =
  /** The task is done; `sequence` is the number of its record, or of a later one. */
  | readonly ['done', node: string, sequence: number, nodes: readonly string[]]
  | readonly ['refused', why: string]
  /** Another node owns the shard, or it is not known whether the record is stored. */
  | readonly ['not done'];

/** A task that was done. */
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
  /** Says why stores cannot get this schema now; null if they can. */
  readonly whyNotUpgraded: (schema: number) => string | null;
}

/** Does tasks as the owner of a shard. Returns what ends that. */
export const serveTasks = ({ bus, ...input }: ServingInput): (() => void) =>
  bus.serve(ownerSubject(input.held.number), async (body) => {
    const task = unpacked<OwnerTask>(body);
    return packed(await answerTo(task, input));
  });

async function answerTo(task: OwnerTask, input: Omit<ServingInput, 'bus'>): Promise<Answer> {
  const { node, held, known } = input;
  if (!held.isOwned()) return ['not done'];
  const why = task[0] === 'upgrade' ? input.whyNotUpgraded(task[1]) : null;
  if (why !== null) return ['refused', why];
  try {
    const { sequence } = await (task[0] === 'mark' ? held.mark() : held.upgrade());
    return ['done', node, sequence, known()];
  } catch {
    // It owns the shard no more, and the next owner is asked.
    return ['not done'];
  }
}

/** The log is waited for longer by an append, and a shard that moves has an owner in seconds. */
const TASK_MS_MAX = 15_000;
const AGAIN_MS = 200;

/**
 * Asks the owner of a shard, which may be this node. Resolves with undefined if no node has done
 * it, and with a text if the owner has refused it.
 */
export async function askOwner(
  bus: Bus,
  shard: number,
  task: OwnerTask,
): Promise<DoneTask | string | undefined> {
  const until = performance.now() + TASK_MS_MAX;
  while (performance.now() < until) {
    const answer = await tryOnce(bus, shard, task);
    if (answer?.[0] === 'done') {
      const [, node, sequence, nodes] = answer;
      return { node, sequence, nodes };
    }
    if (answer?.[0] === 'refused') return answer[1];
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
