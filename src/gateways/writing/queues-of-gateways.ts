import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Settled } from '../../../actors/realm/waiting-operations.ts';
import * as errors from '../../domain/wire/errors.ts';
import { addQueue, beginQueue } from '../../endpoints/events/registering.ts';
import type { Outcome } from '../../forwarding/asked-request.ts';
import { refusalOf } from '../../forwarding/asking.ts';
import type { NoteBug } from '../../transport/answers/reply.ts';
import type { FromGateway, FromWriter } from '../link/frames.ts';

/** The request that gateways have read. */
const REQUEST = { method: 'POST', path: '/register' };

interface Asking {
  readonly noteBug: NoteBug;
  readonly send: (frame: FromWriter) => void;
}

/** A gateway asks for a queue of a client that registers there, or where one is to begin. */
export function takeQueue(
  realm: Realm | undefined,
  frame: Extract<FromGateway, readonly ['add queue' | 'begin queue', ...unknown[]]>,
  { noteBug, send }: Asking,
): void {
  const answer =
    <Reply>(told: (reply: Reply) => Outcome) =>
    (settled: Settled<Reply>) =>
      send(['answer', frame[1], settled.isDone ? told(settled.reply) : refused(settled.error)]);
  const refused = (error: unknown) => refusalOf(error, () => noteBug(error, REQUEST));
  // It was removed since the gateway has judged the caller.
  if (realm === undefined) {
    send(['answer', frame[1], refused(errors.nonexistentSubdomain())]);
  } else if (frame[0] === 'begin queue') {
    const [, , , id, position] = frame;
    beginQueue(
      realm,
      { id, position },
      answer(() => ({ is: 'begun' })),
    );
  } else
    addQueue(
      realm,
      frame[3],
      answer((queue) => ({ is: 'stored', queue })),
    );
}
