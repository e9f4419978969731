import type { AnyActorRef, EventObject } from 'xstate';

/**
 * Sends a command and rethrows what its actions threw: xstate would stop the actor and drop later
 * sends in silence. An actor that has ended (null as well) takes no more commands.
 */
export function sendOrThrow<Command extends EventObject>(
  actor: (AnyActorRef & { send(command: Command): void }) | null,
  command: Command,
) {
  if (actor === null || actor.getSnapshot().status !== 'active') return;
  actor.send(command);
  const { status, error } = actor.getSnapshot() as { status: string; error?: unknown };
  if (status === 'error') throw error;
}
