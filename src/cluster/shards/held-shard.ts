import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../actors/clock.ts';
import { type ShardWork, superviseShard } from '../../../actors/shard.ts';
import type { HeldShard, HeldShardInput } from './declaration.ts';
import { following } from './following.ts';
import {
  appliedBy,
  epochOf,
  type Holding,
  isForThisNode,
  isWritable,
  lastOf,
  type Reached,
  schemaOf,
} from './holding.ts';
import { openLag } from './lag.ts';
import { mark, upgrade } from './owner-records.ts';
import { owning } from './owning.ts';
import { changing, copying } from './realm-changes.ts';
import { oneByOne } from './shard-tail.ts';
import { openTurns } from './turns.ts';

export function openHeldShard(input: HeldShardInput): HeldShard {
  const holding: Holding = {
    input,
    turns: openTurns({
      ...input,
      mayOwn: () => input.mayOwn() && isForThisNode(holding),
    }),
    lag: openLag(),
    onClaims: new Set(),
    tail: null,
    claim: null,
    owning: null,
    isReleasing: false,
    isLast: false,
    isUpgrading: false,
    leaving: new AbortController(),
    turn: oneByOne(),
  };
  const reached: Reached = { shard: () => shard, supervised: () => supervised };
  const shard: HeldShard = shardOver(holding, reached);
  const supervised = superviseShard({
    work: inTurn(holding, { ...following(holding, reached), ...owning(holding, reached) }),
    clock: systemClock,
    onFailed: (error) => input.onFailed(input.number, error),
  });
  return shard;
}

const waited = (ms: number) => pause(ms, undefined, { ref: false });

/** A realm is neither taken nor dropped while the shard changes over. */
const inTurn = ({ turn }: Holding, work: ShardWork): ShardWork => ({
  join: () => turn.next(work.join),
  untilClaim: work.untilClaim,
  claim: () => turn.next(work.claim),
  own: () => turn.next(work.own),
  disown: () => turn.next(work.disown),
  release: (to) => turn.next(() => work.release(to)),
  leave: () => turn.next(work.leave),
});

function shardOver(holding: Holding, { supervised }: Reached): HeldShard {
  const { input, turns } = holding;
  return {
    number: input.number,
    log: input.log,
    state: () => supervised().state(),
    isOwned: () => holding.owning !== null && !holding.isReleasing,
    isWriting: () =>
      holding.owning !== null && !holding.isReleasing && isWritable(input, holding.owning.schema),
    schema: () => schemaOf(holding),
    sequence: () => lastOf(holding)?.sequence ?? 0,
    epoch: () => epochOf(holding),
    owner: turns.owner,
    behind: () =>
      holding.owning === null ? holding.lag.behind(appliedBy(holding)) : { records: 0, ms: 0 },
    change: () => holding.owning?.change ?? null,
    async whenApplied(sequence, msMax) {
      // It is about to follow the next owner, who may have answered.
      if (holding.isReleasing) await Promise.race([holding.turn.done(), waited(msMax)]);
      if (holding.owning === null) await holding.tail?.reached(sequence, msMax);
    },
    onClaim(call) {
      holding.onClaims.add(call);
      return () => void holding.onClaims.delete(call);
    },
    heard(other, said) {
      const epoch = epochOf(holding);
      if (said.epoch < epoch) return;
      if (holding.owning !== null && said.epoch > epoch) supervised().deposed();
      turns.heard(other);
      if (holding.owning === null) holding.lag.heard(said.sequence, appliedBy(holding));
      holding.tail?.noteLast(said.sequence);
    },
    lost: () => supervised().deposed(),
    joined: () => supervised().reached('following', 'claiming', 'opening', 'owning'),
    ...changing(holding),
    logBytes: () => input.log.bytes(),
    ...copying(holding),
    mark: () => mark(holding),
    upgrade: () => upgrade(holding, supervised()),
    async release(to, { isLast } = { isLast: false }) {
      holding.isLast = isLast;
      // A claim that is under way may make this node the owner.
      if (!['claiming', 'opening', 'owning'].includes(supervised().state())) return;
      supervised().release(to);
      await supervised().reached('following', 'leaving', 'left');
    },
    stop() {
      holding.leaving.abort();
      return supervised().stop();
    },
  };
}
