import { expect, test } from 'vitest';
import { type AnyActorRef, createActor, fromPromise, setup, waitFor } from 'xstate';
import { openInspection } from '../../actors/inspection.ts';
import { INSPECTED_EVENTS_MAX } from '../../src/domain/limits/operator.ts';
import { testClock } from '../support/test-clock.ts';

const lampMachine = setup({
  types: { events: {} as { type: 'press' | 'count' } },
  actions: { click: () => undefined },
}).createMachine({
  id: 'lamp',
  initial: 'dark',
  on: { count: {} },
  states: {
    dark: { on: { press: { target: 'lit', actions: 'click' } } },
    lit: { on: { press: 'dark' } },
  },
});

function opened() {
  const clock = testClock();
  const inspection = openInspection(() => clock.now());
  const inWords = () =>
    inspection.events().map(({ actor, what, detail }) => [actor, what, detail].join(' ').trim());
  return { clock, inspection, inWords };
}

const startLamp = (parent?: AnyActorRef) =>
  createActor(lampMachine, parent && { parent, systemId: 'lamp 7' }).start();

test('nothing is recorded before somebody starts it', () => {
  const { inspection } = opened();
  const lamp = startLamp();
  inspection.watch('hall', lamp);
  lamp.send({ type: 'press' });
  expect(inspection.events()).toEqual([]);
});

test('events, actions and states are recorded in order, with the time of each', () => {
  const { clock, inspection } = opened();
  const lamp = startLamp();
  inspection.watch('hall', lamp);
  inspection.start();
  const at = clock.now();
  lamp.send({ type: 'press' });
  clock.advance(20);
  lamp.send({ type: 'press' });
  expect(inspection.events()).toEqual([
    { at, actor: 'hall', what: 'got', detail: 'press' },
    { at, actor: 'hall', what: 'did', detail: 'click' },
    { at, actor: 'hall', what: 'is', detail: 'lit' },
    { at: at + 20, actor: 'hall', what: 'got', detail: 'press' },
    { at: at + 20, actor: 'hall', what: 'is', detail: 'dark' },
  ]);
});

test('an actor within a system is named after the system and its own name there', () => {
  const { inspection, inWords } = opened();
  const house = startLamp();
  inspection.watch('house', house);
  inspection.start();
  const lamp = startLamp(house);
  expect(inWords()).toEqual(['house, lamp 7 started', 'house, lamp 7 is dark']);
  lamp.send({ type: 'press' });
  expect(inWords().slice(-3)).toEqual([
    'house, lamp 7 got press',
    'house, lamp 7 did click',
    'house, lamp 7 is lit',
  ]);
});

test('a state with parts is told as JSON, and that of a promise by its status', async () => {
  const { inspection, inWords } = opened();
  const machine = setup({ actors: { load: fromPromise(() => Promise.resolve()) } }).createMachine({
    type: 'parallel',
    states: {
      one: {
        initial: 'loading',
        states: { loading: { invoke: { src: 'load', onDone: 'done' } }, done: {} },
      },
      other: {},
    },
  });
  const actor = createActor(machine);
  inspection.watch('root', actor);
  inspection.start();
  actor.start();
  await waitFor(actor, ({ value }) => typeof value.one === 'string' && value.one === 'done');
  expect(inWords()).toContain('root is {"one":"loading","other":{}}');
  expect(inWords()).toContain('root is {"one":"done","other":{}}');
  expect(inWords().some((line) => /^root, \S+ is "done"$/.test(line))).toBe(true);
});

test('only the newest are kept, the oldest of them first', () => {
  const { clock, inspection } = opened();
  const lamp = startLamp();
  inspection.watch('hall', lamp);
  inspection.start();
  const first = clock.now();
  // Each is one event and one state.
  const sends = INSPECTED_EVENTS_MAX / 2 + 5;
  for (let count = 0; count < sends; count++) {
    clock.leap(1);
    lamp.send({ type: 'count' });
  }
  const times = inspection.events().map(({ at }) => at - first);
  expect(times).toHaveLength(INSPECTED_EVENTS_MAX);
  expect(times[0]).toBe(6);
  expect(times.at(-1)).toBe(sends);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});

test('stopping forgets what was recorded and listens no more; starting twice records nothing twice', () => {
  const { inspection, inWords } = opened();
  const lamp = startLamp();
  inspection.watch('hall', lamp);
  inspection.start();
  lamp.send({ type: 'count' });
  inspection.stop();
  lamp.send({ type: 'press' });
  expect(inspection.events()).toEqual([]);
  inspection.start();
  inspection.start();
  lamp.send({ type: 'count' });
  expect(inWords()).toEqual(['hall got count', 'hall is lit']);
});

test('a root that has the name of a former one takes its place', () => {
  const { inspection, inWords } = opened();
  const [former, later] = [startLamp(), startLamp()];
  inspection.start();
  inspection.watch('hall', former);
  inspection.watch('hall', later);
  former.send({ type: 'count' });
  expect(inspection.events()).toEqual([]);
  later.send({ type: 'count' });
  expect(inWords()).toEqual(['hall got count', 'hall is dark']);
});
