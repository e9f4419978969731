import { DamagedRecord, type Place } from '../../../storage/replication/commit-log.ts';
import type { StoredRecord } from '../log/shard-log.ts';
import {
  commitsIn,
  decodeRecord,
  type Part,
  type RecordContent,
  type RecordHead,
} from './record.ts';

/** A record that a follower has to do something about. */
export type ReadRecord = RecordContent & {
  readonly head: RecordHead;
  readonly place: Place;
};

/** Reads the records of a log one after the other. */
export interface RecordReader {
  /**
   * Resolves with undefined for a record that nobody applies: a part that others follow, or what a
   * deposed owner wrote. Rejects with `DamagedRecord` for one that is none, or that does not follow
   * the one before it; then the log is not the one that the store is of.
   */
  read(stored: StoredRecord): Promise<ReadRecord | undefined>;
  /** The newest record that was read; null before the first. */
  last(): Place | null;
}

/** Begins behind the record that is named here; null for a log from its first record on. */
export function openRecordReader(behind: Place | null): RecordReader {
  let last = behind;
  let epoch = behind?.epoch ?? 0;
  let parts: Part[] = [];

  async function contentOf(payload: ReturnType<typeof decodeRecord>['payload']) {
    if (payload.kind !== 'part') {
      // Parts that were begun are never finished.
      parts = [];
      return payload;
    }
    if (payload.part !== parts.length) {
      // Its beginning was voided, or never read.
      parts = [];
      throw new DamagedRecord(
        `part ${payload.part + 1} of a record does not follow the one before`,
      );
    }
    const [first = payload] = parts;
    if (payload.parts !== first.parts || payload.isDeflated !== first.isDeflated) {
      throw new DamagedRecord('the parts of a record are not of one record');
    }
    parts.push(payload);
    if (parts.length < payload.parts) return undefined;
    const whole = parts;
    parts = [];
    return { kind: 'writes' as const, realms: await commitsIn(whole) };
  }

  return {
    last: () => last,
    async read(stored) {
      const { head, payload } = decodeRecord(stored.body);
      checkHead(head, stored, last);
      const place = { sequence: stored.sequence, id: head.id, epoch: head.epoch };
      last = place;
      if (head.epoch < epoch) return undefined;
      if (payload.kind === 'claim') epoch = head.epoch;
      const content = await contentOf(payload);
      return content && { ...content, head, place };
    },
  };
}

function checkHead(head: RecordHead, stored: StoredRecord, last: Place | null) {
  const { sequence } = stored;
  if (head.id !== stored.id || head.epoch !== stored.epoch) {
    throw new DamagedRecord(`record ${sequence} is not the one that its log names`);
  }
  if (last === null) return;
  if (sequence !== last.sequence + 1 || head.former !== last.id) {
    throw new DamagedRecord(`record ${sequence} does not follow record ${last.sequence}`);
  }
}
