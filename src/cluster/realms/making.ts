import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allRows } from '../../../storage/replication/all-rows.ts';
import type { LoggedCommit } from '../../../storage/replication/commit-log.ts';
import { ASIDE, writeAlone } from '../../admin/making-realms.ts';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import * as realms from '../../operations/access/realms.ts';

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
