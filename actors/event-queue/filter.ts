import { type EventFlags, ownFlagsOf } from '../../src/domain/wire/events/event-flags.ts';
import type { QueueFilter } from '../../src/domain/wire/events/log-entry.ts';
import type { Announced } from '../../src/events/for-client.ts';
import type { AttachedQueue, QueueKind } from './queue.ts';

/** Tells whether an event for the owner passes this queue's filter: its types and narrow. */
export function matches({ kind, userId }: AttachedQueue, announcement: Announced): boolean {
  const { event, flags, queues } = announcement.entry;
  if (queues !== undefined && !passes(kind, queues)) return false;
  if (kind.types !== null && !kind.types.has(event.type)) return false;
  if (kind.narrow === null || event.type !== 'message') return true;
  const { message } = event;
  return kind.narrow({
    type: message.type,
    channelName: message.type === 'stream' ? String(message.display_recipient) : '',
    topic: message.subject,
    senderEmail: message.sender_email,
    flags: (flags && ownFlagsOf(flags, userId)) ?? flags?.shared ?? [],
  });
}

const passes = ({ options: { capabilities }, types }: QueueKind, filter: QueueFilter) =>
  (filter.has === undefined || capabilities[filter.has] === true) &&
  (filter.lacks === undefined || capabilities[filter.lacks] !== true) &&
  (filter.unlessNamed === undefined || !types?.has(filter.unlessNamed)) &&
  (filter.unlessHeard === undefined || types?.has(filter.unlessHeard) === false);

/**
 * Returns the event without flags: so a queue with `all_public_streams` gets the messages of a
 * channel that its owner is not in.
 */
export function withoutFlags(announcement: Announced): Announced {
  const { entry } = announcement;
  return { ...announcement, entry: { ...entry, flags: NO_FLAGS } };
}

const NO_FLAGS: EventFlags = { shared: [], own: [] };
