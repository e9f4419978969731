import type { AnyActorRef } from 'xstate';
import type { RealmReader } from '../../storage/transaction.ts';
import { describeChannel } from '../channel/channel.ts';
import { type AttachedQueue, describeQueue } from '../event-queue/queue.ts';
import type { FanOut } from './fan-out.ts';
import type { KeyUses } from './key-uses.ts';
import type { Queues } from './queues.ts';

/** The running actors of a realm, for operators. */
export type RealmTree = ReturnType<typeof describeRealm>;

export function describeRealm(
  parts: Described,
  bounds: TreeBounds = EVERYTHING,
  elsewhere: readonly ListenersTree[] = [],
) {
  const { actor, queues, fanOut } = parts;
  const here = describeListeners(parts, bounds);
  return {
    state: actor.getSnapshot().value as unknown,
    channels: merged([here, ...elsewhere]).slice(0, bounds.channels),
    queues: [here, ...elsewhere].flatMap((tree) => tree.queues).slice(0, bounds.queues),
    detachedQueues:
      queues.all().size -
      fanOut.attachedCount() -
      elsewhere.reduce((sum, { attached }) => sum + attached, 0),
  };
}

/** The parts of a realm that are described. */
interface Described {
  readonly actor: AnyActorRef;
  readonly door: { isOpen(): boolean };
  readonly fanOut: FanOut;
  readonly queues: Queues;
  readonly reader: RealmReader;
  readonly keyUses: KeyUses;
}

/** The channels and the queues that somebody listens to at one process. */
export type ListenersTree = ReturnType<typeof describeListeners>;

/** The same of another process, with the programs of the polls that wait there. */
export interface FollowerTree extends ListenersTree {
  readonly programs: readonly string[];
}

/** Joins the audiences that a channel has at several processes. */
function merged(trees: readonly ListenersTree[]) {
  const all = new Map<number, ListenersTree['channels'][number]>();
  for (const channel of trees.flatMap(({ channels }) => channels)) {
    const listeners = (all.get(channel.channelId)?.listeners ?? 0) + channel.listeners;
    all.set(channel.channelId, { ...channel, listeners });
  }
  return [...all.values()];
}

export function describeListeners(
  { door, fanOut, reader, keyUses }: Omit<Described, 'actor' | 'queues'>,
  bounds: TreeBounds,
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
    channels: firstOf(fanOut.channels(), bounds.channels).map(describeChannel),
    queues: attached.map((queue) => ({ ...describeQueue(queue), client: clientOf(queue) })),
    attached: fanOut.attachedCount(),
  };
}

/**
 * Returns the programs of up to `max` waiting polls: those that registered their queues, as
 * `name/version`.
 */
export function programsOfPolls(
  { door, fanOut, reader }: Pick<Described, 'door' | 'fanOut' | 'reader'>,
  max: number,
): string[] {
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
