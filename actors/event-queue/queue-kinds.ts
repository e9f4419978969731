import { recentlyUsed } from '../../src/domain/recently-used.ts';
import { compileQueueNarrow, parseQueueNarrow } from '../../src/domain/rules/messages/narrow.ts';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import { formatOf } from '../../src/events/for-client.ts';
import type { QueueKind } from './queue.ts';

/** There are about as many kinds as versions of clients; only narrows make more of them. */
const KINDS_KEPT_MAX = 1_000;
/** Hardly two queues share longer options, which must not fill the memory. */
const KEPT_LENGTH_MAX = 4_000;

/** Lets queues with equal options share a kind, as a client asks the same for each of its users. */
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
  const narrow = compileQueueNarrow(parseQueueNarrow(options.narrow));
  const types = options.eventTypes === null ? null : new Set([...options.eventTypes, 'heartbeat']);
  return {
    options,
    format: formatOf(options),
    types,
    narrow,
    takesAllMessages: narrow === null && (types === null || types.has('message')),
  };
}
