import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type {
  AskedQueue,
  Registrar,
  SnapshotReads,
  StoredQueue,
} from '../../../actors/realm/registrar.ts';
import type { Settle } from '../../../actors/realm/waiting-operations.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as eventQueues from '../../operations/access/event-queues.ts';
import type { Reads } from '../../operations/access/groups.ts';
import * as spectators from '../../operations/access/spectators.ts';
import { initialState, type StateRequest } from '../../operations/registration/initial-state.ts';
import * as botDefaults from '../../operations/users/bot-defaults.ts';
import type { Body } from '../endpoint.ts';

/** The request of a client for a queue and the state that its events continue. */
export interface Registration
  extends Pick<Caller, 'site' | 'client'>,
    Omit<StateRequest, 'caller' | 'options'> {
  readonly asked: AskedQueue;
  /** False for spectators, who get the state only. */
  readonly hasAccount: boolean;
}

/**
 * Adds the queue and reads the state. Where realms are written it is one operation; a process that
 * only reads has the writer add the queue, and reads the state itself.
 */
export function register(realm: Realm, registration: Registration, settle: Settle<Body>): void {
  if (realm.registrar === null) registerHere(realm, registration, settle);
  else registerByWriter(realm.registrar, registration, settle);
}

function registerHere(realm: Realm, registration: Registration, settle: Settle<Body>) {
  const { hasAccount, asked } = registration;
  realm.run(
    (tx) => {
      // The account is read again: an earlier operation of the batch may have changed it, or the
      // realm.
      const user = userNow(tx, registration);
      const options = optionsFor(tx, user, asked);
      const queue = hasAccount ? eventQueues.add(tx, asked, options) : null;
      return { queue, state: stateOf(tx, registration, { user, options }) };
    },
    (outcome) => {
      if (!outcome.isDone) return settle(outcome);
      const { queue, state } = outcome.reply;
      if (queue === null) return settle(done({ queue_id: null, ...state }));
      // The queue opens before the answer: the client may poll as soon as it has it.
      realm.queues.open(queue.id, queue.row);
      settle(done({ queue_id: queue.id, last_event_id: queue.row.startedAt, ...state }));
    },
    asked.userId,
  );
}

function registerByWriter(registrar: Registrar, registration: Registration, settle: Settle<Body>) {
  const { hasAccount, asked } = registration;
  if (!hasAccount) {
    const make = (reads: SnapshotReads) => {
      const user = userNow(reads, registration);
      const options = optionsFor(reads, user, asked);
      return { queue_id: null, ...stateOf(reads, registration, { user, options }) };
    };
    return registrar.read(make, settle);
  }
  registrar.register(
    asked,
    (reads, { row: { options } }) =>
      stateOf(reads, registration, { user: userNow(reads, registration), options }),
    (outcome) => {
      if (!outcome.isDone) return settle(outcome);
      const { queue, head, state } = outcome.reply;
      settle(done({ queue_id: queue.id, last_event_id: head, ...state }));
    },
  );
}

/** Adds a queue for a client of another process. */
export function addQueue(realm: Realm, asked: AskedQueue, settle: Settle<StoredQueue>): void {
  realm.run(
    (tx) => eventQueues.add(tx, asked, optionsFor(tx, accountOfUser(tx, asked.userId), asked)),
    (outcome) => {
      if (outcome.isDone) realm.queues.open(outcome.reply.id, outcome.reply.row);
      settle(outcome);
    },
    asked.userId,
  );
}

/** Has a queue that nobody knows yet begin at a later position. It may have ended already. */
export function beginQueue(
  realm: Realm,
  { id, position }: { readonly id: string; readonly position: number },
  settle: Settle<undefined>,
): void {
  realm.run(
    (tx) => eventQueues.begin(tx, id, position),
    (outcome) => {
      if (!outcome.isDone) return settle(outcome);
      const row = outcome.reply;
      if (row !== undefined) realm.queues.open(id, row);
      settle({ isDone: true, reply: undefined });
    },
  );
}

const done = (reply: Body) => ({ isDone: true, reply }) as const;

const userNow = (reads: Reads, { hasAccount, asked, site }: Registration): Caller['user'] =>
  hasAccount ? accountOfUser(reads, asked.userId) : spectators.admit(reads, site.settings);

/** Returns the options of the queue, with the defaults of a bot. */
function optionsFor(reads: Reads, user: Caller['user'], { options: given, wanted }: AskedQueue) {
  const options = { ...given, ...botDefaults.registration(reads, user, wanted) };
  if (options.allPublicChannels && isGuest(user.role)) {
    throw errors.badRequest('User not authorized for this query');
  }
  return options;
}

type Reader = Parameters<typeof initialState>[0];

function stateOf(
  reads: Reader,
  { site, client, fetchTypes, includeSubscribers, presenceHistoryDays }: Registration,
  { user, options }: { readonly user: Caller['user']; readonly options: StateRequest['options'] },
) {
  return initialState(reads, {
    caller: { site, client, user },
    options,
    fetchTypes,
    includeSubscribers,
    presenceHistoryDays,
  });
}
