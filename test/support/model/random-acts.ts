import fc from 'fast-check';
import type { Policy as TopicPolicy } from '../../../src/operations/indexes/user-topics.ts';
import { BOARD, GENERAL, PEOPLE, RANDOM, TEAM } from './model.ts';
import type { ModelledRealm, Step } from './modelled-realm.ts';

/** So many channels for Ada that hers are not merged one by one. */
export const EXTRA_CHANNELS = 140;

const LINKS_IMAGE = 'The plans: https://example.com/plan.png';
const LINKS_CHANNEL = '#**general** planned';
const LINKS_FILE = '[a](https://x.org/user_uploads/1/a.txt)';

/** Acts that anybody may do in a modelled realm that has the extra channels. */
export function randomAct() {
  const person = fc.constantFrom(...PEOPLE);
  const channel = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(GENERAL, RANDOM, TEAM, BOARD) },
    { weight: 1, arbitrary: fc.integer({ min: BOARD + 1, max: BOARD + EXTRA_CHANNELS }) },
  );
  const home = fc.constantFrom(GENERAL, RANDOM, TEAM, BOARD);
  const topic = fc.constantFrom('a', 'A', 'b', 'rare', '', '✔ a', '✔ c');
  const content = fc.constantFrom(
    ...['hi', 'hi', 'hi', '@**Mel Doe**', '@**Ivy Doe**', '@**all**'],
    ...['@*crew*', '@*crew* @**Mel Doe**'],
    ...[LINKS_IMAGE, LINKS_CHANNEL, LINKS_FILE],
  );
  const places = fc.array(fc.nat(200), { minLength: 1, maxLength: 20 });
  const picked = ({ model }: ModelledRealm, back: readonly number[]) =>
    back.map((place) => model.messages.at(-1 - place)?.id).filter((id) => id !== undefined);
  type Act = (realm: ModelledRealm) => Step;
  return fc.oneof(
    {
      weight: 30,
      arbitrary: fc
        .tuple(person, channel, topic, content, fc.boolean())
        .map(([user, id, name, text, isRead]): Act => {
          return (realm) => realm.say(user, id, name, { content: text, isRead });
        }),
    },
    {
      weight: 6,
      arbitrary: fc.tuple(person, fc.uniqueArray(person, { minLength: 1, maxLength: 3 })).map(
        ([user, to]): Act =>
          (realm) =>
            realm.tell(user, to),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(person, home).map(
        ([u, c]): Act =>
          (it) =>
            it.join(u, c),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(person, home).map(
        ([u, c]): Act =>
          (it) =>
            it.leave(u, c),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.nat(60), channel, topic).map(([back, id, name]): Act => {
        return (realm) => (tx) => {
          for (const message of picked(realm, [back])) realm.move(message, id, name)(tx);
        };
      }),
    },
    ...(['read', 'unread'] as const).map((verb) => ({
      weight: 3,
      arbitrary: fc.tuple(person, places).map(([user, back]): Act => {
        return (realm) => (tx) => realm[verb](user, picked(realm, back))(tx);
      }),
    })),
    {
      weight: 2,
      arbitrary: fc.tuple(person, home, fc.boolean()).map(([user, id, isMuted]): Act => {
        return (realm) => realm.mute(user, id, isMuted);
      }),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({
          user: person,
          channelId: home,
          topic,
          policy: fc.constantFrom<TopicPolicy>(0, 1, 2, 3),
        })
        .map(({ user, ...decision }): Act => {
          return (realm) => realm.decide(user, decision);
        }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat(200), fc.boolean()).map(([back, isThere]): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) realm.react(id, isThere)(tx);
        };
      }),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.nat(200), fc.constantFrom('hi', LINKS_IMAGE, LINKS_CHANNEL, LINKS_FILE))
        .map(([back, text]): Act => {
          return (realm) => (tx) => {
            for (const id of picked(realm, [back])) realm.reword(id, text)(tx);
          };
        }),
    },
    {
      weight: 1,
      arbitrary: fc.nat(200).map((back): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) realm.remove(id)(tx);
        };
      }),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(person, fc.nat(200), fc.boolean()).map(([user, back, isAdded]): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) {
            realm.star(user, id, isAdded ? 'add' : 'remove')(tx);
          }
        };
      }),
    },
  );
}
