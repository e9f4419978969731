import type { Consumer, Delivery } from '../../src/events/delivery.ts';
import type { Announced } from '../../src/events/for-client.ts';
import { takeStep } from '../event-queue/catch-up.ts';
import { eventGroup, runFor } from '../event-queue/event-group.ts';
import { reached } from '../event-queue/positions.ts';
import type { EventGroup, EventQueue } from '../event-queue/queue.ts';
import type { FeedState } from './feed-state.ts';

/** Gives an attached queue a consumer, which has everything up to `position`, and brings it up to date. */
export function feed(
  state: FeedState,
  queue: EventQueue,
  { consumer, position }: { consumer: Consumer; position: number | 'where it was' },
) {
  settleLive(state, queue);
  if (position !== 'where it was') queue.position = position;
  queue.consumer = consumer;
  queue.waitingSince = state.now;
  resume(state, queue);
}

/** Its consumer is gone, or waits no more. */
export function stop(state: FeedState, queue: EventQueue) {
  settleLive(state, queue);
  queue.consumer = null;
  queue.waitingSince = state.now;
}

/** The consumer can take more, or has been told to look again. */
export function resume(state: FeedState, queue: EventQueue) {
  if (queue.isCatchingUp || queue.isLive) return;
  step(state, queue);
}

/** One bounded step; a queue far behind takes many, and others run in between. */
function step(state: FeedState, queue: EventQueue) {
  const { consumer, listener } = queue;
  if (consumer === null || listener === null) return;
  if (queue.position < state.head) {
    const { events, position } = takeStep({
      queue,
      listener,
      recent: state.recent,
      reader: state.reader,
      head: state.head,
    });
    // Answered, or full and will ask again: either way the position is set.
    if (
      events.length > 0 &&
      deliver(state, queue, { group: groupOf(state, events), through: position }) !== 'taken'
    )
      return;
    queue.position = position;
  }
  if (queue.position === state.head) {
    queue.isLive = true;
    return;
  }
  // Behind, or ahead of an announcement that follows in this turn: go on after it.
  queue.isCatchingUp = true;
  setImmediate(() => {
    queue.isCatchingUp = false;
    if (!queue.isLive) step(state, queue);
  });
}

/** Whoever is due the very same as the one before shares what was encoded for that one. */
function groupOf(state: FeedState, events: Announced[]): EventGroup {
  const last = state.caughtUp.events;
  if (events.length !== last.length || !events.every((event, index) => event === last[index])) {
    state.caughtUp = eventGroup(events);
  }
  return state.caughtUp;
}

/** Writes a group to the consumer; `through` is the position reached when it takes it. */
export function deliver(
  state: FeedState,
  queue: EventQueue,
  { group, through }: { group: EventGroup; through: number },
): Delivery | 'answered' {
  const { consumer } = queue;
  if (consumer === null) return 'dropped';
  const run = runFor(group, queue, state.singles);
  const delivery = consumer.deliver(run);
  if (delivery === 'dropped') {
    queue.position = run.firstId - 1;
    queue.isLive = false;
    return delivery;
  }
  queue.deliveredId = run.lastId;
  if (delivery === 'taken' && !consumer.takesOne) return delivery;
  queue.position = through;
  queue.isLive = false;
  if (!consumer.takesOne) return delivery;
  if (queue.consumer === consumer) queue.consumer = null;
  queue.waitingSince = state.now;
  return 'answered';
}

/** Once it is not live its own position counts. */
export function settleLive(state: FeedState, queue: EventQueue) {
  queue.position = reached(queue, state.head);
  queue.isLive = false;
  queue.pending = null;
}
