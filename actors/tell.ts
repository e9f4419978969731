import type { AnyActorRef, EventObject } from 'xstate';

/**
 * Sends a command and rethrows what its actions threw: xstate would stop the actor and drop later sends in silence.
 * A null actor has ended; what is sent to it is late and means nothing.
 */
export function tell<Command extends EventObject>(
  actor: (AnyActorRef & { send(command: Command): void }) | null,
  command: Command,
) {
  if (actor === null || actor.getSnapshot().status !== 'active') return;
  actor.send(command);
  const { status, error } = actor.getSnapshot() as { status: string; error?: unknown };
  if (status === 'error') throw error;
}
