import { describeChannel } from '../channel/channel.ts';
import { type AttachedQueue, describeQueue, isAttached } from '../event-queue/queue.ts';
import type { RealmParts } from './parts.ts';

/** The running actors of a realm, for operators. */
export type RealmTree = ReturnType<typeof describeRealm>;

export function describeRealm({ actor, door, fanOut, queues, reader, keyUses }: RealmParts) {
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

  const attached = [...queues.all().values()].filter(isAttached);
  return {
    state: actor.getSnapshot().value as unknown,
    channels: [...fanOut.channels()].map(describeChannel),
    queues: attached.map((queue) => ({ ...describeQueue(queue), client: clientOf(queue) })),
    detachedQueues: queues.all().size - attached.length,
  };
}
