import type { Chat, ChatEvent } from '@confab/client';
import { expect, test } from 'vitest';
import { openChat } from '../../support/client-library/open-chat.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { openRandom } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';

const TO = { type: 'channel', to: 'general', topic: 'restarts' } as const;
const REGISTER = { event_types: ['message'], fetch_event_types: [] };
const CLIENTS = runs({ few: 50, all: 100, most: 1_000 });
const RESTARTS = runs({ few: 3, all: 6, most: 30 });
/** Clients that come back at once would all wait for each other's handshakes. */
const TIMING = { retryMs: 250, retryMaxMs: 2_000, newsMs: 100 };
const WAIT = { timeout: 300_000, interval: 100 };
/** Messages are sent this often, while the server runs and while it does not. */
const SEND_EVERY_MS = 50;

test(`${CLIENTS} clients resume over ${RESTARTS} restarts: none loses or repeats an event`, async () => {
  const server = await startProcess();
  const { ada, ...others } = server.people;
  if (ada === undefined) throw new Error('the demo realm has no ada');
  const people = [ada, ...Object.values(others)].filter(({ email }) => !email.includes('bot'));
  const at = { url: `http://127.0.0.1:${server.port()}` };
  const random = openRandom(21);

  /** The ids of the messages that each client heard of. */
  const heard: number[][] = [];
  const chats: Chat[] = [];
  /** How often each has resumed. */
  const resumed: number[] = [];
  let snapshots = 0;
  for (let index = 0; index < CLIENTS; index += 1) {
    const person = people[index % people.length] ?? ada;
    const { chat } = openChat(at, person, { register: REGISTER, timing: TIMING });
    const ids: number[] = [];
    chat.on('snapshot', () => {
      snapshots += 1;
    });
    chat.on('event', (event: ChatEvent) => {
      if (event.type === 'message' && event.message.subject === TO.topic)
        ids.push(event.message.id);
    });
    resumed.push(0);
    chat.on('status', ({ state }) => {
      if (state === 'caught-up') resumed[index] = (resumed[index] ?? 0) + 1;
    });
    heard.push(ids);
    chats.push(chat);
  }
  const areUp = () => chats.every(({ status }) => status.state === 'live');
  await expect.poll(areUp, WAIT).toBe(true);

  const sender = openChat(at, ada, { register: REGISTER, timing: TIMING });
  const sent: Promise<{ readonly id: number }>[] = [];
  const sending = setInterval(() => {
    const content = `message ${sent.length}`;
    if (sender.chat.status.waiting < 500) sent.push(sender.chat.send({ ...TO, content }).sent);
  }, SEND_EVERY_MS);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    // Every other restart comes when all are back, the others while they come back.
    if (restart % 2 === 0) await expect.poll(areUp, WAIT).toBe(true);
    else await new Promise((resolve) => setTimeout(resolve, random.below(1_500)));
    await (restart % 4 < 2 ? server.kill() : server.restart());
  }
  clearInterval(sending);
  const ids = (await Promise.all(sent)).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(RESTARTS);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  const areDone = () => heard.every((own) => own.length >= ids.length);
  await expect.poll(areDone, WAIT).toBe(true);

  const lost = heard.map((own) => ids.filter((id) => !own.includes(id)).length);
  const repeated = heard.map((own) => own.length - new Set(own).size);
  expect(Math.max(...lost)).toBe(0);
  expect(Math.max(...repeated)).toBe(0);
  expect(heard.filter((own) => own.some((id, at) => id !== ids[at]))).toEqual([]);
  expect(snapshots).toBe(CLIENTS); // each has registered once
  expect(Math.min(...resumed)).toBeGreaterThanOrEqual(RESTARTS / 2);
}, 1_800_000);
