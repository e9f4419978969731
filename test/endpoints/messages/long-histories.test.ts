import { expect, test } from 'vitest';
import {
  EDITS_IN_HISTORY_LENGTH_MAX,
  EDITS_IN_MESSAGE_LENGTH_MAX,
  SUBMESSAGES_LENGTH_MAX,
} from '../../../src/domain/limits/messages.ts';
import * as messageEdits from '../../../src/operations/messages/edits.ts';
import * as submessages from '../../../src/operations/posting/submessages.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const EDITS = 150;
const contentOf = (edit: number) => `${edit} ${'a '.repeat(4_990)}`.trim();

async function sent(server: TestServer, content: string): Promise<number> {
  const message = { type: 'channel', to: 'general', topic: 'lunch', content };
  return (await server.post(server.people.mel, '/messages', message)).body.id;
}

/** Moves a message to another topic, and then edits it so often. */
async function edited(server: TestServer, id: number) {
  const { mel } = server.people;
  await server.patch(mel, `/messages/${id}`, { topic: 'dinner' });
  for (let edit = 1; edit <= EDITS; edit++) {
    await server.perform((tx) => {
      const row = tx.messages.get([id]) ?? expect.fail();
      const { content, renderedContent } = row;
      const now = contentOf(edit);
      tx.messages.put([id], { ...row, content: now, renderedContent: `<p>${now}</p>` });
      const before = { content, renderedContent };
      tx.emit({ event: { type: 'heartbeat' }, audience: { users: [] } });
      messageEdits.noteEdit(tx, row, { userId: mel.id, before, after: {} });
    });
  }
}

test('the history of a message that is edited for ever is its beginning and the newest changes', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await sent(server, contentOf(0));
  await edited(server, id);
  const { body, headers } = await server.get(mel, `/messages/${id}/history`);
  const [first, ...changes] = body.message_history;
  expect(first).toMatchObject({ content: contentOf(0), topic: 'lunch' });
  expect(first).not.toHaveProperty('prev_content');
  // The answer has each content as written and rendered, before and after, and the differences.
  expect(Number(headers['content-length'])).toBeLessThan(4 * EDITS_IN_HISTORY_LENGTH_MAX);
  expect(changes.length).toBeGreaterThan(20);
  expect(changes.length).toBeLessThan(EDITS / 2);
  const numbers = changes.map((change: { content: string }) => Number.parseInt(change.content, 10));
  const newest = Array.from({ length: changes.length }, (_, index) => EDITS - index).reverse();
  expect(numbers).toEqual(newest);
  for (const { content, prev_content, topic } of changes) {
    expect(Number.parseInt(prev_content, 10)).toBe(Number.parseInt(content, 10) - 1);
    expect(topic).toBe('dinner');
  }
});

test('a message tells of its newest changes, however many there were', async () => {
  const server = await startServer({ channels: ['general'] });
  await server.set('message_edit_history_visibility_policy', 'all');
  const id = await sent(server, contentOf(0));
  await edited(server, id);
  const { body } = await server.get(server.people.mel, '/messages', { anchor: id });
  const [{ edit_history: history }] = body.messages;
  expect(JSON.stringify(history).length).toBeLessThan(1.2 * EDITS_IN_MESSAGE_LENGTH_MAX);
  const numbers = history.map((change: { prev_content: string }) =>
    Number.parseInt(change.prev_content, 10),
  );
  expect(numbers).toEqual(numbers.map((_: number, index: number) => EDITS - 1 - index));
  expect(numbers.length).toBeGreaterThan(5);
});

test('what is attached to a message has a bound for all of it together', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await sent(server, '/poll soup?');
  const option = (number: number) => ({ type: 'new_option', idx: number, option: 'x'.repeat(900) });
  const add = (number: number) => {
    const content = JSON.stringify(option(number));
    return server.perform((tx, site) => {
      const user = tx.users.get([mel.id]) ?? expect.fail();
      const given = { messageId: id, content, value: option(number) };
      submessages.add(tx, { user, site, client: 'test' }, given);
    });
  };
  let count = 0;
  await expect(
    (async () => {
      for (; count < 2_000; count++) await add(count);
    })(),
  ).rejects.toThrow(/characters altogether/);
  expect(count).toBeGreaterThan(SUBMESSAGES_LENGTH_MAX / 1_000);
  expect(count).toBeLessThan(SUBMESSAGES_LENGTH_MAX / 900);
});
