import { FlagBit } from '../../src/domain/wire/flags.ts';
import { setFlags } from '../../src/operations/indexes/message-flags.ts';
import { type AllRead, markAllStep } from '../../src/operations/reading/mark-as-read.ts';
import type { UserRow } from '../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import { timed } from './in-process.ts';
import type { Store } from './search-store.ts';

/** Each thing is asked so often in a repeat. */
export const UNREAD_ROUNDS = 8;

type OpenStore = Store['store'];

/** Measures the steps of marking all as read; the store takes them back each time. */
export async function stepsOfAll(store: OpenStore, user: UserRow): Promise<readonly number[]> {
  const cpuMs: number[] = [];
  for (let round = 0; round < UNREAD_ROUNDS; round++) {
    await takenBack(store, (tx) => {
      cpuMs.push(timed(() => markAllStep(tx, user)).cpuMs);
    });
  }
  return cpuMs;
}

/** Measures each of the commits that it takes to read so many messages again. */
export async function stepsOfMarked(
  store: OpenStore,
  { user, marked }: { readonly user: UserRow; readonly marked: number },
): Promise<readonly number[]> {
  const cpuMs: number[] = [];
  await takenBack(store, (tx) => {
    markAllStep(tx, user);
    const last = tx.lastId('message');
    for (let id = last - marked; id < last; id++) setFlags(tx, user.id, id, FlagBit.unread);
    let progress: AllRead | undefined;
    do {
      const step = timed(() => markAllStep(tx, user, progress));
      cpuMs.push(step.cpuMs);
      progress = step.result;
    } while (progress?.isComplete === null);
  });
  return cpuMs;
}

/** Runs it in a transaction of which nothing stays. */
async function takenBack(store: OpenStore, act: (tx: RealmTransaction) => void): Promise<void> {
  const operation = (tx: RealmTransaction) => {
    act(tx);
    throw new Error('so that all is as it was');
  };
  await store.commit(
    () => [operation],
    () => 0,
  );
}
