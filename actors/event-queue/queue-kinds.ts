import { recentlyUsed } from '../../src/domain/recently-used.ts';
import { compileQueueNarrow, parseQueueNarrow } from '../../src/domain/rules/messages/narrow.ts';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import { formOf } from '../../src/events/for-client.ts';
import type { EventQueue } from './queue.ts';

/** What follows from a queue's options alone. */
export type QueueKind = Pick<
  EventQueue,
  'options' | 'form' | 'types' | 'matches' | 'takesAllMessages'
>;

/** There are about as many kinds as versions of clients; only narrows of their own make more. */
const KINDS_KEPT_MAX = 1_000;
/** Longer options, which are those of hardly two queues, are not to fill the memory. */
const KEPT_LENGTH_MAX = 4_000;

/** Queues with equal options share what follows from them: a client asks the same for each of its users. */
export function openQueueKinds() {
  const kept = recentlyUsed<string, QueueKind>(KINDS_KEPT_MAX);
  return {
    of(options: QueueOptions): QueueKind {
      const name = JSON.stringify(options);
      const known = kept.get(name);
      if (known !== undefined) return known;
      const kind = kindFrom(options);
      if (name.length > KEPT_LENGTH_MAX) return kind;
      kept.set(name, kind);
      return kind;
    },
  };
}

function kindFrom(options: QueueOptions): QueueKind {
  const matches = compileQueueNarrow(parseQueueNarrow(options.narrow));
  const types = options.eventTypes === null ? null : new Set([...options.eventTypes, 'heartbeat']);
  return {
    options,
    form: formOf(options),
    types,
    matches,
    takesAllMessages: matches === null && (types === null || types.has('message')),
  };
}
