import type { Line } from '../line.ts';
import { Outbox, type OutboxInput } from './outbox.ts';
import type { OutboxStorage } from './storage.ts';

/** Makes the outbox of a line, which begins to send what the storage holds. */
export function outboxOf(
  line: Line,
  storage: OutboxStorage,
  { changed, failed }: Pick<OutboxInput, 'changed' | 'failed'>,
): Outbox {
  const { timing, random, now } = line;
  const outbox = new Outbox({
    ...{ timing, random, now, storage, changed, failed },
    whenUp: (signal) => line.whenUp(signal),
    attempt: (request, signal) => line.once(request, signal),
    queueId: () => line.queueId,
  });
  // Listeners that are added right after it is made hear of everything.
  queueMicrotask(() => void outbox.run());
  return outbox;
}
