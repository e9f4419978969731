import { expect, test } from 'vitest';
import { TOPIC_LENGTH_MAX } from '../../../src/domain/limits/channels.ts';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import {
  DRAFTS_PER_REQUEST_MAX,
  DRAFTS_PER_USER_MAX,
} from '../../../src/domain/limits/personal.ts';
import { TIMESTAMP_MAX } from '../../../src/domain/limits/requests.ts';
import {
  edit,
  eventsOf,
  LUNCH,
  listOf,
  NOWHERE,
  PATH,
  SUCCESS,
  store,
  stored,
} from '../../support/messages/drafting.ts';
import { startServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

test('drafts are stored, listed with the last edited first, told to their author alone, and in the snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const direct = { type: 'private', to: [max.id, mia.id, mel.id, max.id], topic: 'x' };
  const { body } = await store(server, mel, [
    LUNCH,
    { ...NOWHERE, to: [max.id], topic: 'x' },
    { ...direct, content: '\npsst \n', timestamp: 20.9 },
  ]);
  expect(body).toEqual({ ...SUCCESS, ids: [1, 2, 3] });

  const lunch = { id: 1, ...LUNCH };
  const nowhere = { id: 2, ...NOWHERE };
  const psst = {
    id: 3,
    type: 'private',
    to: [mia.id, max.id].sort(),
    topic: '',
    content: 'psst',
    timestamp: 20,
  };
  // The younger of two drafts that were edited in the same second comes first.
  const drafts = [psst, lunch, nowhere];
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, count: 3, drafts });
  expect((await server.register(mel)).state.drafts).toEqual(drafts);
  expect((await server.get(max, PATH)).body).toEqual({ ...SUCCESS, count: 0, drafts: [] });
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'add', drafts: [lunch, nowhere, psst] },
  ]);
  expect(await other.now()).toEqual([]);
});

test('a draft is edited and deleted by its author, who is told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const id = await stored(server, mel);
  const kept = await stored(server, mel, NOWHERE);
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  const changed = { type: 'private', to: [max.id], topic: '', content: 'tea?', timestamp: 30 };
  expect((await edit(server, mel, id, changed)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([
    { id, ...changed },
    { id: kept, ...NOWHERE },
  ]);
  expect((await server.delete(mel, `${PATH}/${id}`)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([{ id: kept, ...NOWHERE }]);
  expect(await eventsOf(own)).toEqual([
    { type: 'drafts', op: 'update', draft: { id, ...changed } },
    { type: 'drafts', op: 'remove', draft_id: id },
  ]);
  expect(await other.now()).toEqual([]);
});

test('a draft without a time was edited now', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const { timestamp: _, ...untimed } = LUNCH;
  const now = () => Math.floor(server.clock.now() / 1000);
  const id = await stored(server, mel, untimed);
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, timestamp: now() }]);
  await server.advance(5_000);
  await edit(server, mel, id, untimed);
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, timestamp: now() }]);
});

test('a draft to oneself keeps oneself, and one to people may name nobody yet', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const direct = { type: 'private', topic: '', content: 'x', timestamp: 1 };
  await store(server, mel, [
    { ...direct, to: [mel.id, mel.id] },
    { ...direct, to: [] },
  ]);
  expect(await listOf(server, mel)).toEqual([
    { id: 2, ...direct, to: [] },
    { id: 1, ...direct, to: [mel.id] },
  ]);
});

test('nothing to store stores nothing and tells nobody', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel);
  expect((await store(server, mel, [])).body).toEqual({ ...SUCCESS, ids: [] });
  expect(await queue.now()).toEqual([]);
});

test('drafts at the bounds are stored, and a long topic is cut as that of a message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const content = '😀'.repeat(MESSAGE_LENGTH_MAX);
  const long = { ...LUNCH, content, topic: 'x'.repeat(TOPIC_LENGTH_MAX + 1) };
  const id = await stored(server, mel, { ...long, timestamp: TIMESTAMP_MAX });
  const topic = `${'x'.repeat(TOPIC_LENGTH_MAX - 3)}...`;
  expect(await listOf(server, mel)).toEqual([{ id, ...long, topic, timestamp: TIMESTAMP_MAX }]);
  const many = Array(DRAFTS_PER_REQUEST_MAX).fill(NOWHERE);
  expect((await store(server, mel, many)).body.ids).toHaveLength(DRAFTS_PER_REQUEST_MAX);
});

test('a user has so many drafts and no more; one of them is still edited', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.perform((tx) => {
    for (let id = 1; id < DRAFTS_PER_USER_MAX; id++) {
      tx.drafts.put([mel.id, 1_000_000 + id], { ...NOWHERE, type: '' });
    }
  });
  const msg = `You can have at most ${DRAFTS_PER_USER_MAX} drafts.`;
  const refused = [400, { result: 'error', code: 'BAD_REQUEST', msg }];
  const two = await store(server, mel, [LUNCH, NOWHERE]);
  expect([two.status, two.body]).toEqual(refused);
  const id = await stored(server, mel);
  const one = await store(server, mel, [NOWHERE]);
  expect([one.status, one.body]).toEqual(refused);
  expect((await edit(server, mel, id, NOWHERE)).status).toBe(200);
  expect((await server.get(mel, PATH)).body.count).toBe(DRAFTS_PER_USER_MAX);
  expect((await server.register(mel)).state.drafts).toHaveLength(DRAFTS_PER_USER_MAX);
  await stored(server, max);
});

test('who left a private channel still edits what they began to write there, and begins nothing new', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.post(max, '/users/me/subscriptions', {
    subscriptions: [{ name: 'hidden' }],
    invite_only: true,
    principals: [mel.id, max.id],
  });
  const draft = { ...LUNCH, to: [2] };
  const id = await stored(server, mel, draft);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['hidden'] });
  const edited = { ...draft, content: 'stew' };
  expect((await edit(server, mel, id, edited)).body).toEqual(SUCCESS);
  expect(await listOf(server, mel)).toEqual([{ id, ...edited }]);
  expect((await store(server, mel, [draft])).body.msg).toBe('Invalid channel ID');
  await edit(server, mel, id, NOWHERE);
  expect((await edit(server, mel, id, draft)).body.msg).toBe('Invalid channel ID');
});

test('a guest drafts to those alone whom they may know of, others to everyone, gone or not', async () => {
  const server = await startServer({ channels: ['general'] });
  const { gus, mel, mia, max } = server.people;
  await server.set('can_access_all_users_group', 3);
  await server.perform((tx) => {
    const row = tx.users.get([max.id]) ?? expect.fail();
    tx.users.put([max.id], { ...row, isActive: false });
  });
  await server.delete(mia, '/users/me/subscriptions', { subscriptions: ['general'] });
  const to = (person: Person) => ({ ...NOWHERE, type: 'private', to: [person.id] });
  await stored(server, gus, to(mel));
  const { body } = await store(server, gus, [to(mia)]);
  expect(body.msg).toBe(`Invalid user ID ${mia.id}`);
  const id = await stored(server, mel, to(max));
  expect(await listOf(server, mel)).toEqual([{ id, ...to(max) }]);
});

test('a draft to an archived channel is kept, and the text stays when the channel is archived later', async () => {
  const server = await startServer({ channels: ['general', 'old'] });
  const { mel, ona } = server.people;
  const id = await stored(server, mel, { ...LUNCH, to: [2] });
  await server.delete(ona, '/streams/2');
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH, to: [2] }]);
  await stored(server, mel, { ...LUNCH, to: [2] });
});

test('drafts outlive a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await stored(server, mel);
  await server.restart();
  expect(await listOf(server, mel)).toEqual([{ id, ...LUNCH }]);
});
