import { momentMs } from '../../../actors/clock.ts';
import type { Standing } from '../../../actors/event-queue/cursor.ts';
import type { Writer } from '../../../actors/realm/following.ts';
import type { Followers } from '../../../actors/realm/parts.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { madeIn } from '../../domain/once-per-key.ts';
import { errorOf } from '../../forwarding/asking.ts';
import type { Bus } from '../log/bus.ts';
import type { Heads } from '../realms/heads.ts';
import type { OwnerAsking } from './asking.ts';
import {
  type HeldQueue,
  holdSubject,
  nodeSubject,
  packed,
  type ToNode,
  type ToOwner,
  unpacked,
} from './frames.ts';

interface WriterInput {
  readonly bus: Bus;
  readonly node: string;
  readonly shard: number;
  readonly realmId: number;
  readonly askForQueue: OwnerAsking['queue'];
}

/** Tells the owner of a realm of the consumers that are here. */
export function writerOver({ bus, node, shard, realmId, askForQueue }: WriterInput): Writer {
  const send = (frame: ToOwner) => bus.publish(holdSubject(shard), packed(frame));
  return {
    hold: (id, standing, at) => send(['hold', node, realmId, held(id, standing, at)]),
    letGo: (id, standing) => send(['let go', node, realmId, held(id, standing, momentMs())]),
    stand: (queues) =>
      send(['stands', node, realmId, queues.map(([id, stands]) => held(id, stands, momentMs()))]),
    beat: () => send(['beat', node, realmId]),
    used: (uses) => send(['used', node, realmId, uses]),
    add: (asked, settle) =>
      askForQueue(realmId, ['add queue', realmId, asked], (outcome) => {
        if (outcome.is === 'stored') settle({ isDone: true, reply: outcome.queue });
        else settle({ isDone: false, error: errorOf(outcome) });
      }),
    begin: (queueId, position, settle) =>
      askForQueue(realmId, ['begin queue', realmId, queueId, position], (outcome) => {
        if (outcome.is === 'begun') settle({ isDone: true, reply: undefined });
        else settle({ isDone: false, error: errorOf(outcome) });
      }),
  };
}

/** The clocks of two machines differ, so that ages are told, and no moments. */
const held = (
  id: string,
  { acknowledged, position, deliveredId }: Standing,
  at: number,
): HeldQueue => [id, acknowledged, position, deliveredId, momentMs() - at];

const standingIn = ([id, acknowledged, position, deliveredId]: HeldQueue) =>
  [id, { acknowledged, position, deliveredId }] as const;

/** The nodes by the numbers that holds of queues know them by. */
export interface NodeNumbers {
  numberOf(node: string): number;
  nodeOf(number: number): string | undefined;
}

export function openNodeNumbers(): NodeNumbers {
  const numbers = new Map<string, number>();
  const nodes: string[] = [];
  return {
    numberOf: (node) => madeIn(numbers, node, () => nodes.push(node) - 1),
    nodeOf: (number) => nodes[number],
  };
}

interface OwnerInput {
  readonly bus: Bus;
  readonly numbers: NodeNumbers;
}

/** Tells other nodes what becomes of their consumers. They find the events in the log. */
export const followersOver = (
  { bus, numbers, heads }: OwnerInput & { readonly heads: Heads },
  realmId: number,
): Required<Omit<Followers, 'views'>> => ({
  announce(entries) {
    const newest = entries.at(-1);
    if (newest !== undefined) heads.reached(realmId, newest.id);
  },
  ended: () => undefined,
  trees: () => [],
  replaced(holder, queueId, at) {
    const node = numbers.nodeOf(holder);
    if (node !== undefined) tellReplaced(bus, { node, realmId, queueId, at });
  },
});

interface Replaced {
  readonly node: string;
  readonly realmId: number;
  readonly queueId: string;
  readonly at: number;
}

const tellReplaced = (bus: Bus, { node, realmId, queueId, at }: Replaced) =>
  bus.publish(
    nodeSubject(node),
    packed(['replaced', realmId, queueId, momentMs() - at] satisfies ToNode),
  );

interface TakingInput extends OwnerInput {
  readonly shard: number;
  /** Returns the realm if this node writes it, and it is open. */
  readonly realm: (id: number) => Realm | undefined;
}

/** Hears, as the owner of a shard, of consumers at other nodes. Returns what ends that. */
export function openTaking({ bus, numbers, shard, realm: find }: TakingInput): () => void {
  return bus.subscribe(holdSubject(shard), (body) => {
    const frame = unpacked<ToOwner>(body);
    const [kind, node, realmId] = frame;
    const realm = find(realmId);
    if (realm === undefined) return;
    const holder = numbers.numberOf(node);
    if (kind === 'beat') realm.beat();
    else if (kind === 'used') for (const use of frame[3]) realm.keyUses.take(use);
    else if (kind === 'let go') realm.holds.letGo(holder, ...standingIn(frame[3]));
    else if (kind === 'hold') hold(frame[3], holder, node, realm, momentMs() - frame[3][4]);
    else for (const queue of frame[3]) stand(queue, holder, node, realm);
  });

  function hold(queue: HeldQueue, holder: number, node: string, realm: Realm, at: number) {
    const [id, standing] = standingIn(queue);
    const former = realm.holds.hold(holder, id, standing, at);
    // One that has come here since stays. That a queue is gone the node reads in the log.
    const loser = former === 'here' ? node : formerNode(former);
    const since = former === 'here' ? momentMs() : at;
    if (loser !== undefined)
      tellReplaced(bus, { node: loser, realmId: realm.id, queueId: id, at: since });
  }

  /** An owner that is new does not know who holds the queues; those that came here it knows. */
  function stand(queue: HeldQueue, holder: number, node: string, realm: Realm) {
    const [id, standing] = standingIn(queue);
    if (realm.holds.has(id)) realm.holds.note(id, standing);
    else hold(queue, holder, node, realm, Number.NEGATIVE_INFINITY);
  }

  function formerNode(former: number | null | undefined) {
    return typeof former === 'number' ? numbers.nodeOf(former) : undefined;
  }
}
