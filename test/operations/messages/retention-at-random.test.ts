import { expect, test } from 'vitest';
import { expectExactAfter, PATIENT } from '../../support/applying/follow.ts';
import {
  DAY,
  expire,
  HOUR,
  idsIn,
  keepFor,
  say,
  whisper,
} from '../../support/messages/retaining.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const SEEDS = runNumbers({ few: 2, all: 4 });

test.each(SEEDS)(
  'whatever happens, what has expired is gone, what has not is there, and snapshots are exact: %i',
  async (seed) => {
    const random = openRandom(seed);
    const server = await startServer({ channels: ['general', 'second', 'third'] });
    const { ona } = server.people;
    await server.post(ona, '/users/me/subscriptions', {
      subscriptions: [{ name: 'fourth' }],
      invite_only: true,
      history_public_to_subscribers: false,
      principals: Object.values(server.people).map(({ id }) => id),
    });
    await expectExactAfter(
      server,
      async () => {
        for (let act = 0; act < 25; act++) {
          await actAtRandom(server, random);
          const before = await placesIn(server);
          const ms = random.pick([1, HOUR, 5 * HOUR, 11 * HOUR]);
          await server.leap(ms);
          await expire(server);
          const kept = before.filter((one) => !one.expiresBy(server.clock.now()));
          expect(await idsIn(server), `act ${act}`).toEqual(kept.map(({ id }) => id));
          await expectNothingDangles(server);
        }
      },
      { options: PATIENT },
    );
  },
);

type Random = ReturnType<typeof openRandom>;

async function actAtRandom(server: TestServer, random: Random) {
  const { ona, mel, max, gus } = server.people;
  const as = random.pick([ona, mel, max, gus]);
  const ids = await idsIn(server);
  const id = ids[random.below(ids.length)] ?? 0;
  const channelId = 1 + random.below(4);
  const to = ['general', 'second', 'third', 'fourth'][channelId - 1];
  const topic = random.pick(['lunch', 'Lunch', 'tea']);
  const days = random.pick<number | string>([1, 2, 3, 'unlimited', 'realm_default']);
  await random.pick([
    () => say(server, as, { to, topic, content: random.pick(['hi', '@**all** hi', '/poll Tea?']) }),
    () => say(server, as, { to, topic }),
    () => say(server, as, { to, topic }),
    () => whisper(server, as, [random.pick([mel, max])]),
    () => whisper(server, as, [mel, gus]),
    () => server.delete(ona, `/messages/${id}`),
    () =>
      server.patch(ona, `/messages/${id}`, { stream_id: channelId, propagate_mode: 'change_all' }),
    () => server.patch(ona, `/messages/${id}`, { topic, propagate_mode: 'change_one' }),
    () => server.post(as, `/messages/${id}/reactions`, { emoji_name: 'tada' }),
    () => server.post(as, '/messages/flags', { messages: [id], op: 'add', flag: 'starred' }),
    () => server.post(as, '/mark_all_as_read', {}),
    () => keepFor(server, days, channelId),
    () => server.set('message_retention_days', random.pick([-1, 1, 2, 3])),
  ])();
}

const placesIn = (server: TestServer) =>
  server.perform((tx) => {
    const ofRealm = tx.realm.get(['realm'])?.settings.message_retention_days ?? -1;
    return Array.from(tx.messages.range({}), ([, { id, channelId, sentAt }]) => {
      const channel = channelId === null ? undefined : tx.channels.get([channelId]);
      const days = channel?.messageRetentionDays ?? ofRealm;
      return { id, expiresBy: (now: number) => days !== -1 && sentAt * 1_000 + days * DAY <= now };
    });
  });

/** Checks that rows only name messages that exist, and that topics count theirs. */
async function expectNothingDangles(server: TestServer) {
  const { there, named, topics, counted } = await server.perform((tx) => ({
    there: new Set(Array.from(tx.messages.keys({}), ([id]) => id)),
    named: [
      ...Array.from(tx.channelMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.directMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.topicMessages.keys({}), ([, , id]) => id),
      ...Array.from(tx.senderMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.messageFlags.keys({}), ([, id]) => id),
      ...Array.from(tx.flaggedMessages.keys({}), ([, , id]) => id),
      ...Array.from(tx.flagHolders.keys({}), ([id]) => id),
      ...Array.from(tx.mentionSetMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.messageMentionSets.keys({}), ([id]) => id),
      ...Array.from(tx.reactions.keys({}), ([id]) => id),
      ...Array.from(tx.messageEdits.keys({}), ([id]) => id),
      ...Array.from(tx.movedOutMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.movedInMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.oldestMessages.keys({}), ([, id]) => id),
      ...Array.from(tx.channels.range({}), ([, { firstMessageId }]) => firstMessageId ?? 0),
    ],
    topics: Array.from(tx.topics.range({}), ([key, { messageCount }]) => [key, messageCount]),
    counted: Array.from(tx.topics.keys({}), (key) => [
      key,
      [...tx.topicMessages.keysUnder(key)].length,
    ]),
  }));
  expect(named.filter((id) => id !== 0 && !there.has(id))).toEqual([]);
  expect(topics).toEqual(counted);
}
