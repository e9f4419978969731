import { type AnyActorRef, createActor, setup } from 'xstate';
import { KEY_USES_WRITTEN_MS } from '../../src/domain/limits/credentials.ts';
import * as errors from '../../src/domain/wire/errors.ts';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { RealmRecord } from '../../src/metrics/recorders.ts';
import type { FileStore } from '../../storage/files/file-store.ts';
import { AMPLE } from '../../storage/files/space.ts';
import type { FollowerStore } from '../../storage/follower-store.ts';
import type { ToldKeys } from '../../storage/told-views.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { type Clock, momentMs } from '../clock.ts';
import { type Standing, standingOf } from '../event-queue/cursor.ts';
import { type DetachedQueue, type EventQueue, isAttached } from '../event-queue/queue.ts';
import { sendOrThrow } from '../send-or-throw.ts';
import { type FanOut, openFanOut } from './fan-out.ts';
import { openHolds } from './holds.ts';
import { isHeartbeatDue, POLL_PAUSE_MS_MAX, SWEEP_INTERVAL_MS } from './housekeeping.ts';
import { type KeyUse, UntoldKeyUses } from './key-uses.ts';
import { type EndOfQueue, openQueues, type Queues } from './queues.ts';
import type { Realm } from './realm-handle.ts';
import {
  describeListeners,
  type FollowerTree,
  programsOfPolls,
  type TreeBounds,
} from './realm-tree.ts';
import { openRegistrar, type QueueWriter, type Registrar } from './registrar.ts';

/** How a realm that only follows tells the writer of its consumers. */
export interface Writer extends QueueWriter {
  /** A consumer has come here at this moment (`momentMs`). */
  hold(queueId: string, standing: Standing, at: number): void;
  letGo(queueId: string, standing: Standing): void;
  /** Says where the queues stand that are held here. */
  stand(queues: readonly (readonly [queueId: string, standing: Standing])[]): void;
  /** Some consumers have waited for long. */
  beat(): void;
  used(uses: readonly KeyUse[]): void;
}

export interface FollowingInput {
  readonly id: number;
  readonly store: FollowerStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly record: RealmRecord;
  /** The newest event that the writer has announced; it tells of all that follow. */
  readonly head: number;
  readonly writer: Writer;
}

/** A realm in a process that serves its clients while another one writes. */
export interface FollowingRealm {
  /** The realm as endpoints see it: it can be read, and its queues be listened to. */
  readonly realm: Realm;
  readonly actor: AnyActorRef;
  /** Delivers the events of a commit to those who listen here. */
  announce(entries: readonly LogEntry[]): void;
  /** Delivers all events up to this one, which are read from the store. */
  announceTo(head: number): void;
  /** Rows behind views were written by a commit. */
  viewsWritten(version: number, keys: ToldKeys): void;
  /** A queue has ended, and so have its consumers. */
  end(queueId: string, why: EndOfQueue): void;
  /** A consumer of a queue has come to another process at this moment (`momentMs`). */
  replaced(queueId: string, at: number): void;
  /** Tells the writer of all consumers that are here, as it is another one. */
  tell(): void;
  /** Makes later reads see what is committed now. */
  refresh(): void;
  /** Describes who listens here. */
  describe(bounds: TreeBounds & { readonly polls: number }): FollowerTree;
  /** Dismisses the consumers; nothing is served from then on. */
  stop(retryAfterMs: () => number): Promise<void>;
}

interface FollowingParts {
  readonly input: FollowingInput;
  readonly fanOut: FanOut;
  readonly queues: Queues;
  readonly keyUses: UntoldKeyUses;
  readonly registrar: Registrar;
  readonly sweep: () => void;
  readonly stand: () => void;
  /** Returns when the latest consumer of a queue has come. */
  readonly cameAt: (queueId: string) => number;
  /** Tells the writer that the latest consumer of a queue is here. */
  readonly hold: (queue: EventQueue) => void;
}

/** serving → stopped. Channels and attached queues are its children, as they are a realm's. */
const followingMachine = setup({
  types: {
    context: {} as { readonly parts: FollowingParts },
    input: {} as FollowingInput,
    events: {} as { type: 'stop' },
  },
  delays: { sweepInterval: SWEEP_INTERVAL_MS },
  actions: { sweep: ({ context: { parts } }) => parts.sweep() },
}).createMachine({
  id: 'following realm',
  context: ({ input, self }) => ({ parts: openParts(input, self) }),
  initial: 'serving',
  states: {
    serving: {
      initial: 'waiting',
      states: {
        waiting: { after: { sweepInterval: 'sweeping' } },
        sweeping: { entry: 'sweep', always: 'waiting' },
      },
      on: { stop: 'stopped' },
    },
    stopped: { type: 'final' },
  },
});

export function followRealm(input: FollowingInput): FollowingRealm {
  const actor = createActor(followingMachine, { input, clock: input.clock });
  actor.start();
  const { parts } = actor.getSnapshot().context;
  const { fanOut, queues } = parts;
  const { store } = input;
  let isOpen = true;

  /** Nothing was told of these events: this process was slow, or their realm was started again. */
  function announceTo(head: number) {
    while (fanOut.head() < head) {
      const first = fanOut.head() + 1;
      const end = Math.min(head + 1, first + EVENTS_PER_STEP);
      fanOut.broadcast(logged(store.reader, { first, end }));
    }
  }

  return {
    realm: handleOf(parts, () => isOpen),
    actor,
    announce(entries) {
      const [first] = entries;
      if (first === undefined) return;
      // Reads that follow from an announcement must see its commit.
      store.refresh();
      announceTo(first.id - 1);
      const head = fanOut.head();
      const news = first.id > head ? entries : entries.filter(({ id }) => id > head);
      if (news.length > 0) fanOut.broadcast(news);
    },
    announceTo(head) {
      store.refresh();
      announceTo(head);
      parts.registrar.look();
    },
    viewsWritten(version, keys) {
      store.views.told(version, keys);
      parts.registrar.look();
    },
    end: (queueId, why) => queues.end(queueId, why),
    replaced(queueId, at) {
      const queue = queues.all().get(queueId);
      if (queue === undefined || !isAttached(queue)) return;
      // The client has come back here in the meantime.
      if (parts.cameAt(queueId) > at) return parts.hold(queue);
      queues.replace(queue);
    },
    tell: parts.stand,
    refresh: store.refresh,
    describe(bounds) {
      const { keyUses } = parts;
      const door = { isOpen: () => isOpen };
      const { reader } = store;
      return {
        ...describeListeners({ door, fanOut, reader, keyUses }, bounds),
        programs: programsOfPolls({ door, fanOut, reader }, bounds.polls),
      };
    },
    async stop(retryAfterMs) {
      isOpen = false;
      parts.registrar.stop();
      for (const queue of [...queues.all().values()]) {
        if (!isAttached(queue)) continue;
        const { consumer } = queue;
        fanOut.disconnect(queue);
        consumer?.stopping(retryAfterMs());
      }
      sendOrThrow(actor, { type: 'stop' });
      await store.close();
    },
  };
}

/** Events that are held at a time while a gap is closed. */
const EVENTS_PER_STEP = 500;

const logged = (
  reader: RealmReader,
  { first, end }: { readonly first: number; readonly end: number },
): LogEntry[] =>
  Array.from(reader.events.range({ start: [first], end: [end] }), ([, entry]) => entry);

function openParts(input: FollowingInput, owner: AnyActorRef): FollowingParts {
  const { store, clock, record, head, writer } = input;
  const { reader } = store;
  const keyUses = new UntoldKeyUses();
  const fanOut = openFanOut({
    reader,
    clock,
    owner,
    record,
    head,
    isHeartbeatDue: (queue) => isHeartbeatDue(queue, clock.now()),
  });
  const standing = (queue: EventQueue) => standingOf(queue, fanOut.head());
  const came = new Map<string, number>();
  const cameAt = (queueId: string) => came.get(queueId) ?? 0;
  const hold = (queue: EventQueue) => writer.hold(queue.id, standing(queue), cameAt(queue.id));
  const queues = openQueues({
    fanOut,
    clock,
    owner,
    record,
    // A client may come with events that another process has delivered, before they are told here.
    head: () => Math.max(fanOut.head(), reader.head()),
    logStart: () => firstLogged(reader) - 1,
    onExpired: () => undefined,
    records: {
      rowOf: (id) => reader.queues.get([id]),
      hold(queue, isNew) {
        came.set(queue.id, momentMs());
        if (isNew) hold(queue);
      },
      letGo(queue: DetachedQueue) {
        came.delete(queue.id);
        writer.letGo(queue.id, standing(queue));
      },
    },
    onEnded: (id) => void came.delete(id),
  });
  const { sweep, stand } = openSweep({ input, fanOut, queues, keyUses });
  const registrar = openRegistrar({ store, writer, now: () => clock.now() });
  return { input, fanOut, queues, keyUses, registrar, sweep, stand, cameAt, hold };
}

function firstLogged(reader: RealmReader): number {
  for (const [id] of reader.events.keys({ limit: 1 })) return id;
  return reader.head() + 1;
}

/** Queues are said to stand somewhere as often as the writer trims the log. */
const SWEEPS_PER_STAND = 6;
const QUEUES_PER_FRAME = 500;

function openSweep({
  input,
  fanOut,
  queues,
  keyUses,
}: Pick<FollowingParts, 'input' | 'fanOut' | 'queues' | 'keyUses'>): {
  readonly sweep: () => void;
  readonly stand: () => void;
} {
  const { clock, writer } = input;
  let sweeps = 0;
  let periodBegunAt = clock.now();

  function sweep() {
    const now = clock.now();
    sweeps += 1;
    fanOut.tick(now);
    input.store.views.dropIdle(now);
    for (const queue of [...queues.all().values()]) {
      // It was looked up, and nobody has attached to it.
      if (!isAttached(queue)) queues.forget(queue);
      else if (queue.consumer === null && now - queue.waitingSince >= POLL_PAUSE_MS_MAX) {
        queues.detach(queue);
      }
    }
    if ([...fanOut.attached()].some((queue) => isHeartbeatDue(queue, now))) writer.beat();
    if (sweeps % SWEEPS_PER_STAND === 0) stand();
    if (Math.abs(now - periodBegunAt) >= KEY_USES_WRITTEN_MS) {
      periodBegunAt = now;
      keyUses.nextPeriod();
    }
    const uses = keyUses.takeUntold();
    if (uses.length > 0) writer.used(uses);
  }

  function stand() {
    const head = fanOut.head();
    const all = Array.from(
      fanOut.attached(),
      (queue) => [queue.id, standingOf(queue, head)] as const,
    );
    for (let at = 0; at < all.length; at += QUEUES_PER_FRAME) {
      writer.stand(all.slice(at, at + QUEUES_PER_FRAME));
    }
  }

  return { sweep, stand };
}

/** The realm as endpoints see it. Those that change something are answered by the writer. */
function handleOf(
  { input, fanOut, queues, keyUses, registrar }: FollowingParts,
  isOpen: () => boolean,
): Realm {
  const { id, store, files, clock, record } = input;
  const { reader } = store;
  return {
    id,
    get stringId() {
      return reader.realm.get(['realm'])?.stringId ?? '';
    },
    reader,
    files,
    queues,
    registrar,
    keyUses,
    space: AMPLE,
    now: () => clock.now(),
    announced: fanOut.head,
    noteSearch: (ms) => record.searchMs.record(ms),
    noteLocked: notHere,
    isOpen,
    closedBecause: errors.serverStopping,
    run: notHere,
    perform: async () => notHere(),
    performInTurns: async () => notHere(),
    beat: notHere,
    forgetDeadReaders: notHere,
    snapshot: notHere,
    freeze: async () => notHere(),
    measure: notHere,
    programsOfPolls: notHere,
    holds: openHolds({ queueOf: () => undefined, now: () => clock.now() }),
    describe: () => notHere(),
  };
}

function notHere(): never {
  throw new Error('this process does not write: the request belongs to the one that does');
}
