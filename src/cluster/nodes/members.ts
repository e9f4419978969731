import { randomBytes } from 'node:crypto';
import { SERVICE_VERSION } from '../../domain/version.ts';
import type { Bus } from '../log/bus.ts';
import { BEATS, type Beat, type OwnedShard, packed, unpacked } from './frames.ts';

/** How often a node says that it lives. */
const BEAT_MS = 200;

/** The nodes of the cluster, as far as they were heard of lately. */
export interface Members {
  /** Returns the nodes that may own shards, this one included unless it leaves. */
  alive(): readonly string[];
  /** Returns the latest beats of all nodes that live, that of this node included. */
  beats(): readonly Beat[];
  /** Returns the nodes that were heard of in the last minute, and this one. */
  known(): readonly string[];
  /** Returns who was last heard to own the shard, if that was lately. */
  ownerOf(shard: number): string | undefined;
  /**
   * Returns since when (`performance.now`) this node hears its own beats, and so reaches the
   * others; null if it has not for as long as makes others claim.
   */
  reachedSince(): number | null;
  addressOf(node: string): string | undefined;
  /** Says at once what has changed. */
  beat(): void;
  close(): void;
}

interface MembersInput {
  readonly bus: Bus;
  readonly node: string;
  readonly address: () => string;
  readonly silenceMs: number;
  readonly owned: () => readonly OwnedShard[];
  readonly isLeaving: () => boolean;
  /** The newest schema that is known here. */
  readonly schema: number;
  /** Another node says that it owns a shard. */
  readonly onOwner: (node: string, owned: OwnedShard) => void;
  /** A process with the name of this node lives elsewhere, and was started before this one. */
  readonly onTwin: (address: string) => void;
}

interface Heard {
  readonly beat: Beat;
  readonly at: number;
}

/** Says that this node lives, and listens to the others. */
export function openMembers(input: MembersInput): Members {
  const { bus, node, address, silenceMs, owned, isLeaving } = input;
  const heard = new Map<string, Heard>();
  const reached = openReach(silenceMs);
  const run = `${Date.now()}-${randomBytes(4).toString('hex')}`;
  const own = (): Beat => ({
    node,
    run,
    address: address(),
    isLeaving: isLeaving(),
    owns: owned(),
    version: SERVICE_VERSION,
    schema: input.schema,
  });
  const beat = () => bus.publish(BEATS, packed(own()));

  const unsubscribe = bus.subscribe(BEATS, (body) => {
    const said = unpacked<Beat>(body);
    if (said.node === node) {
      if (said.run === run) reached.note();
      else if (said.run < run) input.onTwin(said.address);
      return;
    }
    heard.set(said.node, { beat: said, at: performance.now() });
    for (const shard of said.owns) input.onOwner(said.node, shard);
  });
  const timer = setInterval(() => {
    beat();
    // A node that is gone for good is forgotten.
    for (const [name, { at }] of heard) {
      if (performance.now() - at > FORGET_MS) heard.delete(name);
    }
  }, BEAT_MS).unref();
  beat();

  const lately = () => {
    const since = performance.now() - silenceMs;
    return Array.from(heard.values()).flatMap((one) => (one.at >= since ? one.beat : []));
  };
  const beats = () => [own(), ...lately()];
  return {
    beats,
    known: () => [node, ...heard.keys()],
    alive: () => beats().flatMap((said) => (said.isLeaving ? [] : said.node)),
    ownerOf(shard) {
      let newest: { readonly node: string; readonly epoch: number } | undefined;
      for (const { node: name, owns } of beats()) {
        for (const [number, epoch] of owns) {
          if (number !== shard || (newest !== undefined && newest.epoch >= epoch)) continue;
          newest = { node: name, epoch };
        }
      }
      return newest?.node;
    },
    reachedSince: reached.since,
    addressOf: (name) => (name === node ? address() : heard.get(name)?.beat.address),
    beat,
    close() {
      clearInterval(timer);
      beat();
      unsubscribe();
    },
  };
}

const FORGET_MS = 60_000;

/** Follows whether what this node says comes back to it. */
function openReach(silenceMs: number) {
  let since = performance.now();
  let last = since;
  return {
    note() {
      const now = performance.now();
      // It was away, and has not heard of others either.
      if (now - last > silenceMs) since = now;
      last = now;
    },
    since: () => (performance.now() - last > silenceMs ? null : since),
  };
}
