import type { TestGroup } from '../../domain/rules/search/search-terms.ts';
import type { Reads } from '../access/groups.ts';
import {
  ascendingIds,
  type IdSet,
  indexed,
  type ReadCounter,
  within,
} from '../indexes/ids/iterators.ts';
import { type Bounded, lazyUnion, union } from '../indexes/ids/unions.ts';
import { segmentOf } from './blocks.ts';
import { progressOf } from './index.ts';
import { idsOf } from './lookup.ts';

/**
 * Returns the messages that may pass the tests of a search: in segments of the index those whose
 * terms pass, and all that are newer or reworded.
 */
export function maybeMatching(
  tx: Reads,
  groups: readonly TestGroup[],
  counter?: ReadCounter,
): IdSet {
  const { throughMessageId, segments: levels } = progressOf(tx);
  const parts = levels.flat().map((id) => segmentPart(tx, id, groups));
  return union([
    indexed(tx.messages, [], { from: throughMessageId + 1, counter }),
    indexed(tx.rewordedMessages, [], { counter }),
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
