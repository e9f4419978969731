import type { RealmInput } from '../../../actors/realm/parts.ts';
import type { Job } from '../../../actors/realm/scheduler.ts';
import type { FileStore } from '../../../storage/files/file-store.ts';
import { type TestClock, testClock } from '../test-clock.ts';
import { openTestStore, type TestStore } from './realm-store.ts';

/** The input of a realm that a test opens, with everything that the realm has told it. */
export interface TestInput extends RealmInput {
  readonly clock: TestClock;
  readonly bugs: unknown[];
  /** Errors of commits that did not reach the disk. */
  readonly faults: unknown[];
  /** Entries that the scheduler had delivered. */
  readonly delivered: unknown[];
  /** The stores that were opened, the newest of them last. */
  readonly stores: TestStore[];
  /** A test sets these. */
  readonly state: TestState;
}

interface TestState {
  isFull: boolean;
  nextAt: number | undefined;
  due: readonly Job[];
}

/** No test uploads a file, so there is no folder of files. */
const FILES = {} as FileStore;

/** Returns the input of a realm whose store is in this folder. */
export function testInput(path: string, changes: Partial<RealmInput> = {}): TestInput {
  const [bugs, faults, delivered, stores]: [unknown[], unknown[], unknown[], TestStore[]] = [
    [],
    [],
    [],
    [],
  ];
  const state: TestState = { isFull: false, nextAt: undefined, due: [] };
  return {
    openStore() {
      const store = openTestStore(path);
      stores.push(store);
      return store;
    },
    files: FILES,
    space: {
      isFull: () => state.isFull,
      isShort: () => state.isFull,
      hasRoomFor: () => !state.isFull,
    },
    restartEvent: () => ({ type: 'web_reload_client', immediate: true }),
    onCommitFailed: (error) => faults.push(error),
    onBug: (error) => bugs.push(error),
    commitMsMax: Number.POSITIVE_INFINITY,
    scheduler: {
      nextAt: () => state.nextAt,
      due: () => state.due,
      noteFailure: (error) => bugs.push(error),
      deliver: (entries) => delivered.push(...entries),
    },
    ...changes,
    clock: testClock(),
    bugs,
    faults,
    delivered,
    stores,
    state,
  };
}
