import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as searchIndex from '../../../src/operations/search/index.ts';
import { openRandom } from '../../support/random.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/**
 * These sizes are so small that everything is merged several times while a hundred messages are
 * sent.
 */
const TINY: searchIndex.Sizes = {
  messages: 4,
  segmentsMerged: 2,
  levelMax: 4,
  characters: 1_000,
  idsMerged: 10,
  rowsRemoved: 3,
};
const TURNS = 12;

async function found(server: TestServer, as: Person, operand: string): Promise<number[]> {
  const narrow = JSON.stringify([{ operator: 'search', operand }]);
  const range = { anchor: 'newest', num_before: 1000, num_after: 0, narrow };
  const { status, body } = await server.get(as, '/messages', range);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { messages: { id: number }[] }).messages.map(({ id }) => id);
}

/**
 * Sends messages and changes them; each time, the text that was answered is found at once, and the
 * text that it replaced is not.
 */
async function worked(server: TestServer, as: Person, seed: number) {
  const { ona } = server.people;
  const random = openRandom(seed);
  for (let turn = 0; turn < TURNS; turn++) {
    const word = `w${seed}x${turn}`;
    const content = `we all know ${word} by heart`;
    const sent = await server.post(as, '/messages', {
      type: 'channel',
      to: '1',
      topic: 'tea',
      content,
    });
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    const { id } = sent.body as { id: number };
    const expectFound = async (operand: string, wanted: readonly number[]) =>
      expect(await found(server, as, operand), `${operand}, ${id}`).toEqual(wanted);
    await expectFound(word, [id]);
    await expectFound(`"know ${word} by"`, [id]);
    expect(await found(server, as, '"all know"')).toContain(id);

    if (random.chance(0.7)) {
      await server.patch(as, `/messages/${id}`, { content: `nobody knows e${word}` });
      await expectFound(word, []);
      await expectFound(`"s e${word}"`, [id]);
      expect(await found(server, as, '"all know"')).not.toContain(id);
    }
    if (random.chance(0.5)) {
      await server.patch(ona, `/messages/${id}`, {
        topic: `of t${word}`,
        send_notification_to_new_thread: false,
        send_notification_to_old_thread: false,
      });
      await expectFound(`"of t${word}"`, [id]);
    }
    if (random.chance(0.3)) {
      await server.delete(ona, `/messages/${id}`);
      for (const operand of [word, `e${word}`, `t${word}`]) await expectFound(operand, []);
    }
  }
}

test('whatever is sent, edited, moved or deleted is searched as it is from its reply on, while the index is made and merged', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mia, mel, max } = server.people;
  const random = openRandom(7);
  let isBusy = true;
  const reader = server.app.realms.named('test')?.reader ?? expect.fail('there is a realm');
  async function index() {
    // A segment is written some time after it was read, as by a realm, or is read as it is written.
    for (let isPrepared = true; isBusy; isPrepared = !isPrepared) {
      if (!isPrepared) await server.perform((tx) => searchIndex.step(tx, { sizes: TINY }));
      else if (searchIndex.prepare(reader, { sizes: TINY })) {
        await delay(random.below(10));
        const prepared = searchIndex.preparedIn(reader);
        await server.perform((tx) => searchIndex.step(tx, { sizes: TINY, prepared }));
      }
    }
  }
  const work = Promise.all([ona, ada, mia, mel, max].map((as, seed) => worked(server, as, seed)));
  await Promise.all([index(), work.finally(() => (isBusy = false))]);

  const { segments } = await server.perform(searchIndex.progressOf);
  expect(segments.length).toBeGreaterThan(2);
  // A server that starts again remembers nothing of the index.
  const before = await found(server, ona, '"all know"');
  expect(before.length).toBeGreaterThan(0);
  await server.restart();
  expect(await found(server, ona, '"all know"')).toEqual(before);
}, 60_000);
