import { type EventFlags, ownFlagsOf } from '../../src/domain/wire/events/event-flags.ts';
import type { QueueFilter } from '../../src/domain/wire/events/log-entry.ts';
import type { Announced } from '../../src/events/for-client.ts';
import type { EventQueue } from './queue.ts';

/** Whether an event that is for the owner is wanted by this queue: its types, and its narrow for messages. */
export function isWanted(queue: EventQueue, announcement: Announced): boolean {
  const { event, flags, queues } = announcement.entry;
  if (queues !== undefined && !passes(queue, queues)) return false;
  if (queue.types !== null && !queue.types.has(event.type)) return false;
  if (queue.matches === null || event.type !== 'message') return true;
  const { message } = event;
  return queue.matches({
    type: message.type,
    channelName: message.type === 'stream' ? String(message.display_recipient) : '',
    topic: message.subject,
    senderEmail: message.sender_email,
    flags: (flags && ownFlagsOf(flags, queue.userId)) ?? flags?.shared ?? [],
  });
}

const passes = ({ options: { capabilities }, types }: EventQueue, filter: QueueFilter) =>
  (filter.has === undefined || capabilities[filter.has] === true) &&
  (filter.lacks === undefined || capabilities[filter.lacks] !== true) &&
  (filter.unlessNamed === undefined || !types?.has(filter.unlessNamed)) &&
  (filter.unlessHeard === undefined || types?.has(filter.unlessHeard) === false);

/** The event as a queue with `all_public_streams` gets it of a channel its owner is not in: with no flags. */
export function withoutFlags(announcement: Announced): Announced {
  const { entry } = announcement;
  return { ...announcement, entry: { ...entry, flags: NO_FLAGS } };
}

const NO_FLAGS: EventFlags = { shared: [], own: [] };
