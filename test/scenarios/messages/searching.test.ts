import { expect, test } from 'vitest';
import { erase } from '../../../src/operations/messages/deletion.ts';
import * as searchIndex from '../../../src/operations/search/index.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const SEGMENTS = 2;
/** A few more messages than segments hold. */
const SENT = SEGMENTS * searchIndex.SIZES.messages + 20;
/** Each turn does some work of the index; far fewer are needed. */
const TURNS_MAX = 100;

/** Every tenth message is of apples, the others of pears. */
async function searchable() {
  const server = await startServer({ channels: ['general'] });
  const content = (number: number) =>
    number % 10 === 0 ? `Äpfel ${number} and apples` : `pears ${number}`;
  await sendMany(server, { as: server.people.mel, count: SENT, topic: '', content });
  return server;
}

const through = (server: TestServer) =>
  server.perform((tx) => searchIndex.progressOf(tx).throughMessageId);

async function indexed(server: TestServer) {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if ((await through(server)) === SEGMENTS * searchIndex.SIZES.messages) return;
    await server.advance(1);
  }
  expect.fail('the index does not get there');
}

async function search(server: TestServer, text: string, limit = 1000) {
  const narrow = JSON.stringify([{ operator: 'search', operand: text }]);
  const range = { anchor: 'newest', num_before: limit, num_after: 0, narrow };
  const { status, body } = await server.get(server.people.max, '/messages', range);
  expect(status).toBe(200);
  return body as { messages: { id: number; match_content: string }[]; found_oldest: boolean };
}

async function expectFound(server: TestServer) {
  const { messages: apples } = await search(server, 'apple');
  expect(apples.map(({ id }) => id)).toEqual(
    Array.from({ length: Math.floor(SENT / 10) }, (_, index) => (index + 1) * 10),
  );
  const mark = (text: string) => `<span class="highlight">${text}</span>`;
  const { messages: last, found_oldest } = await search(server, 'apfel "nd app"', 1);
  const newest = Math.floor(SENT / 10) * 10;
  expect(last).toMatchObject([
    { id: newest, match_content: `<p>${mark('Äpfel')} ${newest} a${mark('nd app')}les</p>` },
  ]);
  expect(found_oldest).toBe(false);
  expect((await search(server, 'apples pears')).messages).toEqual([]);
  expect((await search(server, '4* pe*')).messages).toHaveLength(
    Array.from({ length: SENT }, (_, index) => index + 1).filter(
      (id) => id % 10 !== 0 && String(id).startsWith('4'),
    ).length,
  );
}

test('the index is made beside the sends; before, meanwhile and after a restart a search finds the same', async () => {
  const server = await searchable();
  await expectFound(server);
  await indexed(server);
  await expectFound(server);
  await server.restart();
  await expectFound(server);
});

test('a store from before there was an index gets one after its start', async () => {
  const server = await searchable();
  await indexed(server);
  await server.perform((tx) => {
    tx.searchProgress.remove(['search']);
    for (const table of [tx.searchSegments, tx.searchBlocks, tx.searchLists]) {
      for (const key of [...table.keys({})]) table.remove(key as never); // of this table
    }
  });
  await server.restart();
  await expectFound(server);
  await indexed(server);
  await expectFound(server);
});

test('what is edited, moved or deleted is found as it is now', async () => {
  const server = await searchable();
  await indexed(server);
  const { mel, ona } = server.people;
  await server.patch(mel, '/messages/20', { content: 'a plum' });
  await server.patch(ona, '/messages/30', {
    topic: 'plum tree',
    send_notification_to_new_thread: false,
    send_notification_to_old_thread: false,
  });
  await server.perform((tx) => erase(tx, [tx.messages.get([40]) ?? expect.fail('it is there')]));
  const ids = async (text: string) => (await search(server, text)).messages.map(({ id }) => id);
  expect(await ids('plums')).toEqual([20, 30]);
  expect(await ids('plums apples')).toEqual([30]);
  expect((await ids('apples')).slice(0, 4)).toEqual([10, 30, 50, 60]);
});
