import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as realms from '../../../src/operations/access/realms.ts';
import { openReplica, type Replica } from '../../../storage/replication/replica.ts';
import { openRealmStore } from '../../../storage/store.ts';
import { type CommitList, openCommitList } from './commit-list.ts';

/** A realm that commits through a log in memory, and a replica that has followed it. */
export interface LoggedRealm {
  readonly folder: string;
  readonly replica: Replica;
  readonly records: CommitList['records'];
  /** Makes commits, each of one event, and has the replica follow. */
  commit(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes a realm below a folder: its store, and its replica beside it. */
export async function openLoggedRealm(root: string, realmId: number): Promise<LoggedRealm> {
  const log = openCommitList();
  const folder = join(root, 'owner');
  mkdirSync(folder, { recursive: true });
  const store = openRealmStore(folder, { log });
  const replica = openReplica(join(root, 'follower'));
  let followed = 0;
  const follow = async () => {
    for (const { writes, place } of log.records.slice(followed)) await replica.apply(writes, place);
    followed = log.records.length;
  };
  const now = () => 1_800_000_000_000;
  await store.commit(
    () => [(tx) => realms.create(tx, { id: realmId, stringId: `realm${realmId}`, name: 'Test' })],
    now,
  );
  await follow();
  return {
    folder,
    replica,
    records: log.records,
    async commit(count) {
      for (let index = 0; index < count; index++) {
        await store.commit(
          () => [
            (tx) => {
              const row = realms.existing(tx);
              tx.realm.put(['realm'], { ...row, name: `Test ${tx.nextId('message')}` });
            },
          ],
          now,
        );
      }
      await follow();
    },
    async close() {
      await store.close();
      await replica.close();
    },
  };
}
