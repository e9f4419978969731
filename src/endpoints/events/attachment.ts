import type { Attachment } from '../../../actors/event-queue/cursor.ts';
import * as errors from '../../domain/wire/errors.ts';

/**
 * Returns the refusal for a consumer that could not attach to a queue
 * (reference/events-and-register.md 1.1, 1.4).
 */
export function attachmentError(
  attachment: Exclude<Attachment, 'attached'>,
  queueId: string,
  lastEventId: number,
): errors.ApiError {
  if (attachment === 'unknown') return errors.badEventQueueId(queueId);
  if (attachment === 'pruned') return errors.eventAlreadyPruned(lastEventId);
  return errors.eventNotInQueue(lastEventId);
}
