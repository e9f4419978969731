import { momentMs } from '../../../actors/clock.ts';
import type { Passing } from '../../transport/passing.ts';
import { openAbout } from '../nodes/about.ts';
import { openAsking } from '../nodes/asking.ts';
import { nodeSubject, type ToNode, unpacked } from '../nodes/frames.ts';
import { type Members, openMembers } from '../nodes/members.ts';
import { placeIn } from '../passing/holder-links.ts';
import { openPassing } from '../passing/passing.ts';
import { shardOf } from '../placement.ts';
import { openCatchingUp } from '../realms/catching-up.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import type { Node } from './declaration.ts';
import { isDrained, isUnreadable, type Joined, unreadableOf, wholeOf } from './joined.ts';

export const membersOf = (joined: Joined): Members =>
  openMembers({
    bus: joined.input.store.bus,
    node: joined.name,
    address: () => `${bracketed(joined.input.cluster.address.host)}:${joined.port}`,
    silenceMs: joined.input.cluster.silenceMs,
    owned: () =>
      wholeOf(joined).flatMap((held) =>
        held.isOwned() ? [[held.number, held.epoch(), held.sequence()] as const] : [],
      ),
    followed: () =>
      wholeOf(joined).flatMap((held) =>
        held.isOwned() || joined.realms?.lacksSome(held.number) === true
          ? []
          : [[held.number, held.sequence()] as const],
      ),
    unreadable: () => unreadableOf(joined).map(({ number }) => number),
    isLeaving: () => joined.isLeaving || joined.answers === null || isDrained(joined),
    about: openAbout(() => wholeOf(joined)),
    isDrained: () => isDrained(joined),
    rememberMs: joined.input.cluster.absenceMs,
    schema: joined.schemas.newest,
    onOwner: (node, [number, epoch, sequence]) =>
      joined.slots?.held(number)?.heard(node, { epoch, sequence }),
    onTwin: (address) =>
      joined.input.onFatal(
        new Error(`another node at ${address} is called ${joined.name}: set CONFAB_NODE`),
      ),
  });

export function passingOf(joined: Joined, realms: ClusterRealms, isTls: boolean): Passing {
  const { links, slots, founding } = joined;
  if (links === null || slots === null) throw new Error('the node has no shards yet');
  const isAnyUnreadable = keptFor(KEPT_MS, () => unreadableOf(joined).length > 0);
  return openPassing({
    links,
    secret: founding.secret,
    isTls,
    hasAll: () => slots.areAllWhole() && realms.missing.size === 0 && !isAnyUnreadable(),
    shardElsewhere(host) {
      const { realm } = realms.at(host);
      if (realm === undefined) return undefined;
      const shard = shardOf(realm.id, founding.shards);
      const held = slots.isWhole(shard) ? slots.held(shard) : undefined;
      const isHere =
        held !== undefined && !realms.missing.has(realm.id) && !isUnreadable(joined, held);
      return isHere ? undefined : shard;
    },
  });
}

/** Each request asks; the answer changes with the node's version, and with an upgrade. */
const KEPT_MS = 100;

function keptFor(ms: number, ask: () => boolean): () => boolean {
  let askedAt = Number.NEGATIVE_INFINITY;
  let known = false;
  return () => {
    if (performance.now() - askedAt < ms) return known;
    askedAt = performance.now();
    known = ask();
    return known;
  };
}

export const openRelaying =
  ({ name, founding }: Joined, members: Members, realms: ClusterRealms): Node['relayTargetOf'] =>
  (host, isRelayed) => {
    const { realm } = realms.at(host);
    if (realm === undefined || realms.isWritten(realm)) return null;
    const owner = members.ownerOf(shardOf(realm.id, founding.shards));
    // A node that has just lost the shard does not send it round.
    if (isRelayed || owner === undefined || owner === name) return undefined;
    const place = placeIn(members.addressOf(owner));
    return place === undefined ? undefined : { ...place, secret: founding.secret };
  };

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

export const askingOf = (joined: Joined): ReturnType<typeof openAsking> =>
  openAsking({
    bus: joined.input.store.bus,
    shardOf: (realmId) => shardOf(realmId, joined.founding.shards),
    isOwned: (number) => joined.slots?.held(number)?.isWriting() === true,
    whenApplied: async (number, sequence, msMax) =>
      await joined.slots?.held(number)?.whenApplied(sequence, msMax),
    onClaim: (number, call) => joined.slots?.held(number)?.onClaim(call) ?? (() => {}),
    onBug: joined.input.onBug,
  });

/** Returns what ends it. */
export const followNotices = ({ input, name }: Joined, realms: ClusterRealms): (() => void) =>
  input.store.bus.subscribe(nodeSubject(name), (body) => {
    const [, realmId, queueId, ageMs] = unpacked<ToNode>(body);
    realms
      .held(realmId)
      ?.following()
      ?.replaced(queueId, momentMs() - ageMs);
  });

export const catchingUpOf = (joined: Joined, realms: ClusterRealms) =>
  openCatchingUp({
    bus: joined.input.store.bus,
    realms,
    heads: joined.heads,
    shardOf: (realmId) => joined.slots?.held(shardOf(realmId, joined.founding.shards)),
  });
