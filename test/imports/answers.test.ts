import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openAnswers } from '../../src/admin/commands/answers.ts';

/** Asks questions whose answers the test gives, and logs when each begins and is told. */
function asked({ atOnceMax }: { readonly atOnceMax: number }) {
  const answers = openAnswers({ atOnceMax });
  const log: string[] = [];
  const waiting = new Map<string, () => void>();
  return {
    ask: (name: string, { mayOverlap }: { readonly mayOverlap: boolean }) =>
      answers.add({
        mayOverlap,
        answer() {
          log.push(`begins ${name}`);
          return new Promise<string>((resolve) => waiting.set(name, () => resolve(name)));
        },
        tell: (reply) => log.push(`tells ${reply}`),
      }),
    /** Answers one, and returns what happened since the last time: first what begins. */
    async answer(name?: string) {
      await delay(0);
      if (name !== undefined) waiting.get(name)?.();
      await delay(0);
      return log.splice(0).toSorted();
    },
  };
}

const ALONE = { mayOverlap: false };
const OVERLAPS = { mayOverlap: true };

test('questions are answered one at a time', async () => {
  const { ask, answer } = asked({ atOnceMax: 3 });
  ask('a', ALONE);
  ask('b', ALONE);
  expect(await answer()).toEqual(['begins a']);
  expect(await answer('a')).toEqual(['begins b', 'tells a']);
  expect(await answer('b')).toEqual(['tells b']);
});

test('those that may overlap begin together, so many at most, and are told in their order', async () => {
  const { ask, answer } = asked({ atOnceMax: 3 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name, OVERLAPS);
  expect(await answer()).toEqual(['begins a', 'begins b', 'begins c']);
  expect(await answer('b')).toEqual([]);
  expect(await answer('a')).toEqual(['begins d', 'begins e', 'tells a', 'tells b']);
  expect(await answer('d')).toEqual([]);
  expect(await answer('e')).toEqual([]);
  expect(await answer('c')).toEqual(['tells c', 'tells d', 'tells e']);
});

test('one that may not overlap begins when all before it are answered, and others after it', async () => {
  const { ask, answer } = asked({ atOnceMax: 3 });
  ask('a', OVERLAPS);
  ask('b', OVERLAPS);
  ask('alone', ALONE);
  ask('c', OVERLAPS);
  ask('d', OVERLAPS);
  expect(await answer()).toEqual(['begins a', 'begins b']);
  expect(await answer('b')).toEqual([]);
  expect(await answer('a')).toEqual(['begins alone', 'tells a', 'tells b']);
  expect(await answer('alone')).toEqual(['begins c', 'begins d', 'tells alone']);
});
