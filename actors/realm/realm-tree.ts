import { describeChannel } from '../channel/channel.ts';
import { type AttachedQueue, describeQueue } from '../event-queue/queue.ts';
import type { RealmParts } from './parts.ts';

/** The running actors of a realm, for operators. */
export type RealmTree = ReturnType<typeof describeRealm>;

export function describeRealm(
  { actor, door, fanOut, queues, reader, keyUses }: RealmParts,
  bounds: TreeBounds = EVERYTHING,
) {
  /**
   * Returns the name of the client that last used the key by which the queue was registered. It is
   * not known of a realm that has failed, as its store may be closed.
   */
  function clientOf({ id, userId }: AttachedQueue): string | null {
    if (!door.isOpen()) return null;
    const keyHash = reader.queues.get([id])?.keyHash;
    if (keyHash === undefined) return null;
    const use = keyUses.unwrittenOf(keyHash) ?? reader.keyUses.get([userId, keyHash]);
    return use?.client ?? null;
  }

  const attached = firstOf(fanOut.attached(), bounds.queues);
  return {
    state: actor.getSnapshot().value as unknown,
    channels: firstOf(fanOut.channels(), bounds.channels).map(describeChannel),
    queues: attached.map((queue) => ({ ...describeQueue(queue), client: clientOf(queue) })),
    detachedQueues: queues.all().size - fanOut.attachedCount(),
  };
}

/**
 * Returns the programs of up to `max` waiting polls: those that registered their queues, as
 * `name/version`.
 */
export function programsOfPolls({ door, fanOut, reader }: RealmParts, max: number): string[] {
  const programs: string[] = [];
  if (!door.isOpen()) return programs;
  for (const { id, consumer } of fanOut.attached()) {
    if (programs.length >= max) break;
    if (consumer?.takesOne) programs.push(reader.queues.get([id])?.program ?? '');
  }
  return programs;
}

/** The number of actors that are described: each costs a few microseconds. */
export interface TreeBounds {
  readonly channels: number;
  readonly queues: number;
}

const EVERYTHING = { channels: Number.POSITIVE_INFINITY, queues: Number.POSITIVE_INFINITY };

function firstOf<One>(all: Iterable<One>, max: number): One[] {
  const first: One[] = [];
  for (const one of all) {
    if (first.length >= max) break;
    first.push(one);
  }
  return first;
}
