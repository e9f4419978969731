import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allRows } from '../../../storage/replication/all-rows.ts';
import type { LoggedCommit } from '../../../storage/replication/commit-log.ts';
import { ASIDE, writeAlone } from '../../admin/making-realms.ts';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import * as realms from '../../operations/access/realms.ts';
import type { SharedValues } from '../log/bus.ts';
import { packed } from '../nodes/frames.ts';

/** So many realms nobody has; a bound for the search of a free number. */
const REALMS_MAX = 1_000_000;

/** The key of the shared value that says that the cluster has a realm. */
export const numberKey = (realmId: number) => `realm.${realmId}`;

interface NumberInput {
  readonly values: SharedValues;
  readonly node: string;
  /** Tells whether a new realm of this number could be made here. */
  readonly fits: (realmId: number) => boolean;
  /** Returns the largest number that the node knows to be taken. */
  readonly newest: number;
}

/** Takes a number for a new realm, which no other node takes as well. */
export async function takeNumber({ values, node, fits, newest }: NumberInput): Promise<number> {
  for (let id = newest + 1; id <= REALMS_MAX; id++) {
    if (!fits(id)) continue;
    if (await values.putNew(numberKey(id), packed({ by: node }))) return id;
  }
  throw new Error('there is no number left for a realm');
}

interface FirstInput {
  /** The folder of all realms. */
  readonly folder: string;
  readonly id: number;
  readonly stringId: string;
  readonly name: string;
  readonly now: () => number;
  readonly fill: (tx: RealmTransaction) => void;
}

/** Returns the first commit of a new realm: all its rows, as one operation has made them. */
export async function firstCommit(input: FirstInput): Promise<LoggedCommit> {
  const { folder, id, stringId, name, now, fill } = input;
  const aside = join(folder, `${ASIDE}${randomBytes(8).toString('hex')}`);
  let head = 0;
  try {
    mkdirSync(aside, { mode: 0o700 });
    await writeAlone(aside, now, (tx) => {
      tx.actAs('operator');
      realms.create(tx, { id, stringId, name });
      fill(tx);
      head = tx.head();
    });
    return { writes: await allRows(aside), head, wakeAt: Number.POSITIVE_INFINITY };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
