import type { TestGroup } from '../../domain/rules/search/search-terms.ts';
import type { Reads } from '../access/groups.ts';
import {
  ascendingIds,
  type Bounded,
  type IdSet,
  indexed,
  lazyUnion,
  type Meter,
  union,
  within,
} from '../indexes/id-walks.ts';
import { segmentOf } from './blocks.ts';
import { progressOf } from './index.ts';
import { idsOf } from './lookup.ts';

/**
 * The messages that may pass the tests of a search: of those in a segment of the index what their terms say, and all that
 * are new, or reworded, since.
 */
export function maybeMatching(tx: Reads, groups: readonly TestGroup[], meter?: Meter): IdSet {
  const { throughMessageId, segments: levels } = progressOf(tx);
  const parts = levels.flat().map((id) => segmentPart(tx, id, groups));
  return union([
    indexed(tx.messages, [], { from: throughMessageId + 1, meter }),
    indexed(tx.rewordedMessages, [], { meter }),
    lazyUnion(parts),
  ]);
}

function segmentPart(tx: Reads, segmentId: number, groups: readonly TestGroup[]): Bounded {
  const { firstMessageId, lastMessageId, firstTerms } = segmentOf(tx, segmentId);
  const range = [firstMessageId, lastMessageId] as const;
  return {
    first: firstMessageId,
    last: lastMessageId,
    open() {
      const ids = idsOf(tx, { segmentId, firstTerms }, groups);
      return ids === null ? within(indexed(tx.messages, []), range) : ascendingIds(ids);
    },
  };
}
