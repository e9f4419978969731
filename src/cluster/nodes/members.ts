import { randomBytes } from 'node:crypto';
import type { Bus } from '../log/bus.ts';
import type { About } from './about.ts';
import { BEATS, type Beat, type OwnedShard, packed, unpacked } from './frames.ts';

/** How often a node says that it lives. */
const BEAT_MS = 200;
/** One beat of so many says more of the node. */
const BEATS_PER_ABOUT = 5;

/** The nodes of the cluster, as far as they were heard of lately. */
export interface Members {
  /** Returns the nodes that may own shards, this one included unless it leaves. */
  alive(): readonly string[];
  /** Returns the latest beats of all nodes that live, that of this node included. */
  beats(): readonly Beat[];
  /** Returns the nodes with a copy of the shard that were heard of in the last minute. */
  known(shard: number): readonly string[];
  /** Returns who was last heard to own the shard, if that was lately. */
  ownerOf(shard: number): string | undefined;
  /** Returns the newest epoch of which an owner of the shard was heard lately. */
  epochOf(shard: number): number | undefined;
  /**
   * Returns since when (`performance.now`) this node hears its own beats, and so reaches the
   * others; null if it has not for as long as makes others claim.
   */
  reachedSince(): number | null;
  addressOf(node: string): string | undefined;
  /** Returns when (`performance.now`) another node was heard last; undefined for long ago. */
  heardAt(node: string): number | undefined;
  /** Returns the nodes that live and have a copy of a shard, with their newest record there. */
  holdersOf(shard: number): readonly Holder[];
  /** Says at once what has changed. */
  beat(): void;
  close(): void;
}

/** A node that has a copy of a shard. */
export interface Holder {
  readonly node: string;
  readonly sequence: number;
  readonly isLeaving: boolean;
  /** False if it cannot read its copy before the cluster is upgraded. */
  readonly serves: boolean;
}

interface MembersInput {
  readonly bus: Bus;
  readonly node: string;
  readonly address: () => string;
  readonly silenceMs: number;
  readonly owned: () => readonly OwnedShard[];
  readonly followed: () => Beat['follows'];
  /** The shards of both that this node cannot read. */
  readonly unreadable: () => readonly number[];
  readonly isLeaving: () => boolean;
  readonly about: () => About;
  readonly isDrained: () => boolean;
  /** So long a node is remembered that is not heard of. */
  readonly rememberMs: number;
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
  const { bus, node, address, silenceMs, owned, isLeaving, rememberMs } = input;
  const heard = new Map<string, Heard>();
  const reached = openReach(silenceMs);
  const run = `${Date.now()}-${randomBytes(4).toString('hex')}`;
  const own = (): Beat => ({
    node,
    run,
    address: address(),
    isLeaving: isLeaving(),
    owns: owned(),
    follows: input.followed(),
    ...unreadableIn(input.unreadable()),
    isDrained: input.isDrained(),
    schema: input.schema,
  });
  const whole = (): Beat => ({ ...own(), about: input.about() });
  let sent = 0;
  function beat() {
    const said = sent % BEATS_PER_ABOUT === 0 ? whole() : own();
    sent += 1;
    bus.publish(BEATS, packed(said));
  }

  const unsubscribe = bus.subscribe(BEATS, (body) => {
    const said = unpacked<Beat>(body);
    if (said.node === node) {
      if (said.run === run) reached.note();
      else if (said.run < run) input.onTwin(said.address);
      return;
    }
    heard.set(said.node, {
      beat: withAbout(said, heard.get(said.node)?.beat),
      at: performance.now(),
    });
    for (const shard of said.owns) input.onOwner(said.node, shard);
  });
  const timer = setInterval(() => {
    beat();
    // A node that is gone for good is forgotten.
    for (const [name, { at }] of heard) {
      if (performance.now() - at > rememberMs) heard.delete(name);
    }
  }, BEAT_MS).unref();
  beat();

  const lately = () => {
    const since = performance.now() - silenceMs;
    return Array.from(heard.values()).flatMap((one) => (one.at >= since ? one.beat : []));
  };
  const beats = () => [own(), ...lately()];
  return {
    beats: () => [whole(), ...lately()],
    known: (shard) =>
      [own(), ...Array.from(heard.values(), ({ beat: said }) => said)].flatMap((said) =>
        newestIn(shard, said) === undefined ? [] : said.node,
      ),
    alive: () => beats().flatMap((said) => (said.isLeaving ? [] : said.node)),
    ownerOf: (shard) => newestOwner(shard, beats())?.node,
    epochOf: (shard) => newestOwner(shard, beats())?.epoch,
    reachedSince: reached.since,
    addressOf: (name) => (name === node ? address() : heard.get(name)?.beat.address),
    heardAt: (name) => heard.get(name)?.at,
    holdersOf: (shard) =>
      beats().flatMap((said) => {
        const sequence = newestIn(shard, said);
        if (sequence === undefined) return [];
        const serves = said.unreadable?.includes(shard) !== true;
        return { node: said.node, sequence, isLeaving: said.isLeaving, serves };
      }),
    beat,
    close() {
      clearInterval(timer);
      beat();
      unsubscribe();
    },
  };
}

const unreadableIn = (unreadable: readonly number[]): Pick<Beat, 'unreadable'> =>
  unreadable.length === 0 ? {} : { unreadable };

/** Returns a beat with what the same process has said about itself before. */
function withAbout(said: Beat, before: Beat | undefined): Beat {
  if (said.about !== undefined || before?.about === undefined || before.run !== said.run) {
    return said;
  }
  return { ...said, about: before.about };
}

function newestOwner(shard: number, beats: readonly Beat[]) {
  let newest: { readonly node: string; readonly epoch: number } | undefined;
  for (const { node, owns } of beats) {
    for (const [number, epoch] of owns) {
      if (number !== shard || (newest !== undefined && newest.epoch >= epoch)) continue;
      newest = { node, epoch };
    }
  }
  return newest;
}

function newestIn(shard: number, { owns, follows }: Beat): number | undefined {
  const owned = owns.find(([number]) => number === shard);
  return owned === undefined ? follows.find(([number]) => number === shard)?.[1] : owned[2];
}

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
