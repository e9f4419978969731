import { expect, test } from 'vitest';
import {
  type EventQueue,
  type QueueCommand,
  tellQueue,
} from '../../../actors/event-queue/queue.ts';

type Command = QueueCommand['type'];

/** A queue of which nothing but its lifecycle is looked at, and what came of the commands that it was told. */
function told(commands: readonly Command[]) {
  const effects: string[] = [];
  const queue = { state: 'registered' } as EventQueue; // nothing else of it is asked
  for (const type of commands) {
    tellQueue(
      queue,
      { type },
      {
        onDetached: () => effects.push('detached'),
        onExpired: () => effects.push('expired'),
      },
    );
  }
  return { state: queue.state, effects };
}

test.each<{ commands: Command[]; state: string; effects: string[] }>([
  { commands: [], state: 'registered', effects: [] },
  { commands: ['attach'], state: 'attached', effects: [] },
  { commands: ['attach', 'attach'], state: 'attached', effects: [] },
  { commands: ['attach', 'idleLimitReached'], state: 'attached', effects: [] },
  { commands: ['attach', 'consumerGone'], state: 'detached', effects: ['detached'] },
  { commands: ['attach', 'consumerGone', 'attach'], state: 'attached', effects: ['detached'] },
  {
    commands: ['attach', 'consumerGone', 'idleLimitReached'],
    state: 'expired',
    effects: ['detached', 'expired'],
  },
  { commands: ['idleLimitReached'], state: 'expired', effects: ['expired'] },
  { commands: ['idleLimitReached', 'attach', 'end'], state: 'expired', effects: ['expired'] },
  { commands: ['end'], state: 'ended', effects: [] },
  { commands: ['attach', 'end', 'attach'], state: 'ended', effects: ['detached'] },
  { commands: ['consumerGone'], state: 'registered', effects: [] },
])('a queue that is told $commands is $state', ({ commands, state, effects }) => {
  expect(told(commands)).toEqual({ state, effects });
});

test('what goes wrong as a queue is told something is thrown at who tells it', () => {
  const queue = { state: 'attached' } as EventQueue; // nothing else of it is asked
  const bug = new Error('a bug');
  const tell = () =>
    tellQueue(
      queue,
      { type: 'consumerGone' },
      {
        onDetached() {
          throw bug;
        },
        onExpired: () => undefined,
      },
    );
  expect(tell).toThrow(bug);
  expect(queue.state).toBe('attached');
});
