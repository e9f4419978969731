import { CAPABILITIES } from '../../../client/src/store/capabilities.ts';
import type { StateOptions } from '../../../client/src/store/contents.ts';
import { snapshotOf } from '../../../client/src/store/snapshot-of.ts';
import { State } from '../../../client/src/store/state.ts';
import type { TestQueue } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import type { Snapshot } from './snapshot.ts';

/** A program with the state of the client library registers with this. */
export const REGISTERED = {
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities: CAPABILITIES,
};

/** A state of the client library with its queue. */
export interface Watching {
  readonly state: State;
  readonly queue: TestQueue;
  /** Applies the events that are there, and returns them. */
  catchUp(): Promise<number>;
}

/** Opens a state that throws on events that do not fit. */
export async function watch(
  server: TestServer,
  as: Person,
  options: StateOptions = {},
): Promise<Watching> {
  const queue = await server.register(as, REGISTERED);
  const state = openState(queue.state, options);
  return {
    state,
    queue,
    async catchUp() {
      let count = 0;
      for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
        for (const event of events) state.apply(event);
        count += events.length;
      }
      return count;
    },
  };
}

export function openState(registered: object, options: StateOptions = {}): State {
  // A register reply of a test is untyped.
  return new State(registered as ConstructorParameters<typeof State>[0], {
    onMismatch(message) {
      throw new Error(message);
    },
    ...options,
  });
}

export const snapshotIn = ({ state }: Watching) => snapshotOf(state) as unknown as Snapshot;
