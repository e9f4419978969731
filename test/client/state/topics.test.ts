import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOPICS_MAX, Topics } from '../../../client/src/store/topics.ts';
import { actOnMessages } from '../../support/acts/of-everyone.ts';
import { watch } from '../../support/applying/state-of.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/** Lists of topics that a state was told and kept, against those of the server. */

const topicsOf = async (server: TestServer, as: Person, channelId: number) => {
  const { body } = await server.get(as, `/users/me/${channelId}/topics`, {
    allow_empty_topic_name: true,
  });
  return body.topics as { name: string; max_id: number }[];
};

test('a list that was learnt stays that of the server, as long as it says that it is complete', async () => {
  let complete = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(actOnMessages, { minLength: 5, maxLength: 15 }),
      fc.array(actOnMessages, { minLength: 5, maxLength: 10 }),
      async (before, after) => {
        const server = await startServer({ channels: ['general', 'alpha'] });
        const { ona } = server.people;
        for (const act of before) await act(server);
        const { state, catchUp } = await watch(server, ona);
        for (const act of after) {
          for (const id of [1, 2]) {
            if (!state.topics.isComplete(id))
              state.topics.learn(id, await topicsOf(server, ona, id));
          }
          await act(server);
          await server.perform(() => undefined);
          await catchUp();
          for (const id of [1, 2]) {
            if (!state.topics.isComplete(id)) continue;
            complete += 1;
            const told = await topicsOf(server, ona, id);
            expect(lowerCase(state.topics.of(id))).toEqual(lowerCase(told));
          }
        }
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 2, all: 6 }), endOnFailure: true },
  );
  expect(complete).toBeGreaterThan(0);
});

const lowerCase = (topics: readonly { name: string; max_id: number }[]) =>
  topics.map(({ name, max_id }) => ({ name: name.toLowerCase(), max_id }));

/** Returns what sends a message of somebody to a topic of the only channel. */
const sendsTo = (server: TestServer, who: Person) => (topic: string) =>
  server.post(who, '/messages', { type: 'channel', to: 'general', topic, content: 'x' });

test('topics are known from unread messages and from events, the newest first', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const send = sendsTo(server, max);
  await send('lunch');
  await send('tea');
  const { state, catchUp } = await watch(server, mel);
  expect(state.topics.of(1)).toEqual([
    { name: 'tea', max_id: 2 },
    { name: 'lunch', max_id: 1 },
  ]);
  expect(state.topics.isComplete(1)).toBe(false);
  await send('Lunch');
  await catchUp();
  expect(state.topics.of(1)).toEqual([
    { name: 'Lunch', max_id: 3 },
    { name: 'tea', max_id: 2 },
  ]);
});

test('who moves a whole topic leaves none behind, and whoever deletes leaves a list to ask for', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  const send = sendsTo(server, ona);
  await send('lunch');
  await send('lunch');
  const { state, catchUp } = await watch(server, ona);
  state.topics.learn(1, await topicsOf(server, ona, 1));
  await server.patch(ona, '/messages/1', { topic: 'soup', propagate_mode: 'change_all' });
  await catchUp();
  expect(state.topics.of(1).map(({ name }) => name)).toEqual(['soup']);
  await send('tea');
  await catchUp();
  await server.delete(ona, '/messages/3');
  await catchUp();
  expect(state.topics.isComplete(1)).toBe(false);
});

test('a list is not complete while its channel is left, nor when it is joined again', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const send = sendsTo(server, max);
  await send('lunch');
  const { state, catchUp } = await watch(server, mel);
  const learn = async () => state.topics.learn(1, await topicsOf(server, mel, 1));
  await learn();
  expect(state.topics.isComplete(1)).toBe(true);
  const subscriptions = JSON.stringify(['general']);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions });
  await catchUp();
  await learn();
  expect(state.topics.isComplete(1)).toBe(false);
  await send('tea');
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  await catchUp();
  expect(state.topics.isComplete(1)).toBe(false);
  await learn();
  expect(state.topics.isComplete(1)).toBe(true);
  expect(state.topics.of(1).map(({ name }) => name)).toEqual(['tea', 'lunch']);
});

test('a channel keeps its newest topics, and a list of more is not complete', () => {
  const topics = new Topics(new Map([[1, {}]]));
  const all = Array.from({ length: TOPICS_MAX }, (_, index) => ({
    name: `topic ${index + 1}`,
    max_id: index + 1,
  }));
  topics.learn(1, all.toReversed());
  expect(topics.isComplete(1)).toBe(true);
  topics.note(1, 'Topic 1', TOPICS_MAX + 1);
  topics.note(1, 'one more', TOPICS_MAX + 2);
  expect(topics.isComplete(1)).toBe(false);
  const names = topics.of(1).map(({ name }) => name);
  expect(names).toHaveLength(TOPICS_MAX);
  expect(names.slice(0, 2)).toEqual(['one more', 'Topic 1']);
  expect(names).not.toContain('topic 2');
});
