import type { Former } from './ownership.ts';

/** The second in line waits so long for the first, and so on. */
const STEP_MS = 300;
/** A claim that was refused is tried again when the log was read. */
const REFUSED_MS = 100;
/**
 * A log that refuses a claim and has less than the node has was cut back, or a server that was cut
 * off has said so: the reader needs about four seconds to find out, and is not disturbed.
 */
const SHORT_MS = 8_000;

interface TurnsInput {
  readonly node: string;
  readonly silenceMs: number;
  /** Returns the nodes that may own the shard, the first in line first. */
  readonly line: () => readonly string[];
  readonly reachedSince: () => number | null;
  readonly mayOwn: () => boolean;
}

/** Decides when it is this node's turn to claim a shard. A wrong guess costs a move, no record. */
export interface Turns {
  /** Returns after how many milliseconds the node may claim the shard. */
  untilClaim(): number;
  owner(): string | null;
  /** Returns from whom the shard would come if this node claimed it now. */
  former(): Former;
  /** A node has claimed the shard; null if this node has lost it. */
  claimed(owner: string | null): void;
  released(to: string | null): void;
  /** This node has released the shard, and claims it last. */
  releasedHere(to: string | null): void;
  /** The owner lives. */
  heard(owner: string): void;
  /** A claim was refused by a log that seems to have less than this node, or by any other. */
  refused(isShort: boolean): void;
}

export function openTurns(input: TurnsInput): Turns {
  const { node, silenceMs, line, reachedSince, mayOwn } = input;
  let owner: string | null = null;
  let heardAt = performance.now();
  let notBefore = Number.NEGATIVE_INFINITY;
  /** Set while the shard is nobody's. */
  let release: { readonly to: string | null; readonly at: number; readonly by: string } | null =
    null;

  /** Returns how long the others before this node in line are waited for. */
  function stepMs(except?: string) {
    const others = line().filter((name) => name !== except);
    const place = others.indexOf(node);
    return (place < 0 ? others.length + 1 : place) * STEP_MS;
  }

  function claimAt(): number {
    const since = reachedSince();
    if (since === null || !mayOwn()) return Number.POSITIVE_INFINITY;
    if (release !== null && release.to === node) return release.at;
    if (release !== null && release.to === null) return release.at + stepMs(release.by);
    return Math.max(heardAt, since) + silenceMs + stepMs();
  }

  return {
    owner: () => owner,
    former() {
      if (release !== null) return { kind: 'move', from: release.by || null, since: release.at };
      return { kind: owner === null ? 'first claim' : 'take-over', from: owner, since: heardAt };
    },
    untilClaim: () => Math.max(claimAt(), notBefore) - performance.now(),
    claimed(name) {
      owner = name;
      heardAt = performance.now();
      release = null;
    },
    released(to) {
      release = { to, at: performance.now(), by: owner ?? '' };
      heardAt = performance.now();
      owner = null;
    },
    releasedHere(to) {
      release = { to, at: performance.now(), by: node };
      heardAt = performance.now();
      owner = null;
    },
    heard(name) {
      owner = name;
      heardAt = performance.now();
    },
    refused(isShort) {
      notBefore = performance.now() + (isShort ? SHORT_MS : REFUSED_MS);
    },
  };
}
