import { expect, test } from 'vitest';
import { MESSAGES_EXPIRED_PER_STEP } from '../../../src/domain/limits/messages.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import * as retention from '../../../src/operations/messages/retention.ts';
import { expectExactAfter, PATIENT } from '../../support/applying/follow.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { DAY, expire, idsIn, keepFor, say, whisper } from '../../support/messages/retaining.ts';
import { settle, withDevice } from '../../support/notifications/pushing.ts';
import { startServer } from '../../support/start-server.ts';

test('1.20: a message is gone when its days are over, not a second earlier, and all hear of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.set('message_retention_days', 2);
  const first = await say(server, mel);
  await server.advance(1_000);
  const second = await say(server, mel, { topic: 'tea' });
  const third = await say(server, mel);
  const modern = await server.register(max, PATIENT);
  const old = await server.register(max, { queue_lifespan_secs: 604_800 });
  await server.leap(2 * DAY - 2_000);
  await expire(server);
  expect(await idsIn(server)).toEqual([first, second, third]);
  await server.advance(1_000);
  await expire(server);
  expect(await idsIn(server)).toEqual([second, third]);
  await server.advance(1_000);
  await expire(server);
  expect(await idsIn(server)).toEqual([]);

  const first_message_id = (value: number | null) => ({
    id: expect.any(Number),
    type: 'stream',
    op: 'update',
    stream_id: 1,
    name: 'general',
    property: 'first_message_id',
    value,
  });
  const gone = (topic: string) => ({
    id: expect.any(Number),
    type: 'delete_message',
    message_type: 'stream',
    stream_id: 1,
    topic,
  });
  expect(await modern.now()).toEqual([
    first_message_id(second),
    { ...gone('lunch'), message_ids: [first] },
    first_message_id(null),
    { ...gone('tea'), message_ids: [second] },
    { ...gone('lunch'), message_ids: [third] },
  ]);
  expect((await old.now()).filter(({ type }) => type === 'delete_message')).toEqual([
    { ...gone('lunch'), message_id: first },
    { ...gone('tea'), message_id: second },
    { ...gone('lunch'), message_id: third },
  ]);
  expect(server.bugs).toEqual([]);
});

test('1.20: of an archived channel, clients that do not know of it hear nothing about its first message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, max } = server.people;
  await server.set('message_retention_days', 2);
  await say(server, ona);
  await server.delete(ona, '/streams/1');
  const [, notice] = await idsIn(server);
  const patient = { event_types: ['stream'], queue_lifespan_secs: 604_800 };
  const knowing = await server.register(max, {
    ...patient,
    client_capabilities: { notification_settings_null: true, archived_channels: true },
  });
  const old = await server.register(max, patient);
  await server.leap(2 * DAY - 1_000);
  await server.leap(2_000);
  await expire(server);
  expect(notice).toEqual(expect.any(Number));
  expect(await idsIn(server)).toEqual([]);
  const properties = (await knowing.now()).map(({ property }) => property);
  expect(new Set(properties)).toEqual(new Set(['first_message_id']));
  expect(await old.now()).toEqual([]);
});

test('1.20: direct messages follow the realm, and a channel that says so does not', async () => {
  const server = await startServer({ channels: ['general', 'archive', 'brief'] });
  const { mel, max, gus } = server.people;
  await server.set('message_retention_days', 2);
  await keepFor(server, 'unlimited', 2);
  await keepFor(server, 1, 3);
  const noticed = await idsIn(server);
  const forever = await say(server, mel, { to: 'archive' });
  await say(server, mel, { to: 'brief' });
  const inGeneral = await say(server, mel);
  const direct = [await whisper(server, mel, [max]), await whisper(server, gus, [mel])];
  const queue = await server.register(max, PATIENT);
  await server.leap(DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([noticed[0], forever, inGeneral, ...direct]);
  await server.leap(DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([noticed[0], forever]);
  const told = (await queue.now()).filter(({ message_type }) => message_type === 'private');
  expect(told).toMatchObject([{ type: 'delete_message', message_ids: [direct[0]] }]);
  await server.leap(400 * DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([noticed[0], forever]);
});

test('nothing of an expired message stays, even if it was starred, reacted to, edited or voted on', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.set('message_retention_days', 1);
  const content = '@**Max Member** @**all** hi';
  const id = await say(server, mel, { content });
  const direct = await whisper(server, mel, [max]);
  const poll = await say(server, mel, { content: '/poll Tea?\nyes' });
  await server.patch(mel, `/messages/${id}`, { content: `${content} again` });
  for (const one of [id, direct]) {
    await server.post(max, `/messages/${one}/reactions`, { emoji_name: 'tada' });
  }
  await server.post(max, '/messages/flags', { messages: [id, direct], op: 'add', flag: 'starred' });
  await server.post(max, '/submessage', {
    message_id: poll,
    msg_type: 'widget',
    content: '{"type":"vote","key":"canned,0","vote":1}',
  });
  await server.leap(DAY);
  await expectExactAfter(server, () => expire(server));
  const left = await server.perform((tx) => [
    ...tx.messages.keys({}),
    ...tx.messageEdits.keys({}),
    ...tx.channelMessages.keys({}),
    ...tx.directMessages.keys({}),
    ...tx.topicMessages.keys({}),
    ...tx.topics.keys({}),
    ...tx.topicParticipants.keys({}),
    ...tx.senderMessages.keys({}),
    ...tx.messageFlags.keys({}),
    ...tx.flaggedMessages.keys({}),
    ...tx.flagHolders.keys({}),
    ...tx.mentionSetMessages.keys({}),
    ...tx.messageMentionSets.keys({}),
    ...tx.reactions.keys({}),
    ...tx.submessages.keys({}),
    ...tx.oldestMessages.keys({}),
  ]);
  expect(left).toEqual([]);
});

test('a moved message expires by the channel it is in', async () => {
  const server = await startServer({ channels: ['general', 'brief'] });
  const { ona, mel } = server.people;
  await keepFor(server, 1, 2);
  const [moved, stays] = [await say(server, mel), await say(server, mel, { topic: 'tea' })];
  const out = await say(server, mel, { to: 'brief' });
  const quiet = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
  await server.patch(ona, `/messages/${moved}`, { stream_id: 2, ...quiet });
  await server.patch(ona, `/messages/${out}`, { stream_id: 1, ...quiet });
  await server.leap(DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([stays, out]);
  // The message is too old for its new channel.
  await server.patch(ona, `/messages/${stays}`, { stream_id: 2, ...quiet });
  await server.advance(1);
  await expire(server);
  expect(await idsIn(server)).toEqual([out]);
});

test('changed settings hold at once', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max } = server.people;
  const [first, direct] = [await say(server, mel), await whisper(server, mel, [max])];
  await server.leap(3 * DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([first, direct]);
  const setRealm = (message_retention_days: number | string) =>
    server.patch(ona, '/realm', { message_retention_days: JSON.stringify(message_retention_days) });
  await setRealm(4);
  await keepFor(server, 5);
  await server.advance(1);
  await expire(server);
  expect(await idsIn(server)).toHaveLength(3); // with the notice of the channel
  await setRealm(3);
  await server.advance(1);
  await expire(server);
  expect(await idsIn(server)).not.toContain(direct);
  expect(await idsIn(server)).toContain(first);
  await keepFor(server, 'realm_default');
  await server.advance(1);
  await expire(server);
  expect(await idsIn(server)).not.toContain(first);
  const later = await say(server, mel);
  await setRealm('unlimited');
  await server.leap(90 * DAY);
  await expire(server);
  expect(await idsIn(server)).toContain(later);
});

test('a server that was down for days catches up in steps, and others are served between them', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.set('message_retention_days', 1);
  const count = 2 * MESSAGES_EXPIRED_PER_STEP + 1;
  for (let index = 0; index < count; index++) await say(server, mel, { topic: `t${index % 3}` });
  for (let index = 0; index < count; index++) await whisper(server, mel, [max]);
  const queue = await server.register(max, PATIENT);
  await server.restart(6 * DAY);
  const left: number[] = [];
  for (let look = 0; left.at(-1) !== 0 && look < 1_000; look++) {
    await server.advance(1);
    left.push((await idsIn(server)).length);
  }
  expect(new Set(left).size).toBeGreaterThan(2);
  const events = await queue.now();
  const told = events.flatMap(({ message_ids }): number[] => message_ids ?? []);
  expect(told.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 2 * count }, (_, index) => index + 1),
  );
  const direct = events.filter(({ message_type }) => message_type === 'private');
  const steps = [MESSAGES_EXPIRED_PER_STEP, MESSAGES_EXPIRED_PER_STEP, 1];
  expect(direct.map(({ message_ids }) => message_ids.length)).toEqual(steps);
  const firsts = events.filter(({ type }) => type === 'stream').map(({ value }) => value);
  expect(firsts).toEqual([MESSAGES_EXPIRED_PER_STEP + 1, count, null]);
  expect(server.bugs).toEqual([]);
});

test('a file that only expired messages link is unused', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await keepFor(server, 1);
  const url = await uploaded(server, mel, { filename: 'note.txt', content: 'hello' });
  await say(server, mel, { content: `[note](${url})` });
  await server.leap(DAY);
  await expire(server);
  const { attachments } = (await server.get(mel, '/attachments')).body;
  expect(attachments).toMatchObject([{ name: 'note.txt', messages: [] }]);
});

test('expired messages are removed from devices', async () => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  await server.set('message_retention_days', 1);
  const id = await whisper(server, server.people.max, [mel]);
  await settle(pushing);
  await server.leap(DAY);
  const { told } = await settle(pushing);
  const notices = told.flatMap(({ devices }) => devices.map(({ notice }) => notice));
  expect(notices).toMatchObject([{ type: 'remove', message_ids: [id] }]);
});

test('a message that cannot be deleted is skipped, and the others are deleted', async () => {
  const server = await startServer({ channels: ['general', 'other'] });
  const { mel, max } = server.people;
  await server.set('message_retention_days', 1);
  await whisper(server, mel, [max]);
  for (const to of ['general', 'other']) await say(server, mel, { to });
  const waiting = () => server.perform((tx) => retention.due(tx, tx.now + DAY));
  expect(await waiting()).toEqual([{ kind: 'direct' }]);
  const late = (tx: RealmTransaction) => ({ ...tx, now: tx.now + DAY });
  await server.perform((tx) => retention.putAside(late(tx), { kind: 'direct' }));
  const inGeneral = { kind: 'channel', days: 0, channelId: 1 } as const;
  expect(await waiting()).toEqual([inGeneral]);
  await server.perform((tx) => retention.putAside(tx, inGeneral));
  expect(await waiting()).toEqual([{ ...inGeneral, channelId: 2 }]);
  await server.leap(DAY);
  await expire(server);
  expect(await idsIn(server)).toEqual([1, 2]);
});
