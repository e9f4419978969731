import { expect, test } from 'vitest';
import { createActor, setup } from 'xstate';
import { sendOrThrow } from '../../actors/send-or-throw.ts';

const bug = new Error('a bug');

/** An actor that counts, fails or ends, as it is told. */
function started() {
  const counted: number[] = [];
  const machine = setup({
    types: { events: {} as { type: 'count' | 'fail' | 'end' } },
    actions: {
      count: () => counted.push(counted.length),
      fail: () => {
        throw bug;
      },
    },
  }).createMachine({
    initial: 'on',
    states: {
      on: { on: { count: { actions: 'count' }, fail: { actions: 'fail' }, end: 'off' } },
      off: { type: 'final' },
    },
  });
  const actor = createActor(machine);
  actor.subscribe({ error: () => undefined });
  return { actor: actor.start(), counted };
}

test('an actor that runs gets the command', () => {
  const { actor, counted } = started();
  sendOrThrow(actor, { type: 'count' });
  expect(counted).toEqual([0]);
});

test('the sender gets the exception of an action, once', () => {
  const { actor, counted } = started();
  expect(() => sendOrThrow(actor, { type: 'fail' })).toThrow(bug);
  sendOrThrow(actor, { type: 'count' });
  expect(counted).toEqual([]);
});

test('a command to an actor that has ended does nothing', () => {
  const { actor, counted } = started();
  sendOrThrow(actor, { type: 'end' });
  sendOrThrow(actor, { type: 'count' });
  sendOrThrow(null, { type: 'count' });
  expect(counted).toEqual([]);
});
