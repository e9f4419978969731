import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NarrowTerm, parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import type { Anchor } from '../../../src/operations/reading/message-list.ts';
import * as senderLists from '../../../src/operations/search/sender-lists.ts';
import { fetch, ids, LAST } from '../../support/model/message-lists.ts';
import {
  ADA,
  BOARD,
  GENERAL,
  GUS,
  IVY,
  isMutedFor,
  isSubscribedIn,
  MEL,
  PEOPLE,
  policyOf,
  RANDOM,
  TEAM,
} from '../../support/model/model.ts';
import { expectedIds } from '../../support/model/modelled-narrows.ts';
import {
  type ModelledRealm,
  openModelledRealm,
  type Step,
} from '../../support/model/modelled-realm.ts';
import { EXTRA_CHANNELS, randomAct } from '../../support/model/random-acts.ts';
import { runs } from '../../support/runs.ts';

const RUNS = runs({ few: 100, all: 400 });

/** A few hundred random acts of everyone. */
let world: ModelledRealm;
beforeAll(async () => {
  world = await openModelledRealm({ extraChannels: EXTRA_CHANNELS });
  const act: fc.Arbitrary<(realm: ModelledRealm) => Step> = randomAct();
  const acts = fc.sample(act, { numRuns: 2500, seed: 4711 });
  const makeSteps = (list: typeof acts) => world.steps(list.map((make) => make(world)));
  await makeSteps(acts.slice(0, 2000));
  // Some messages are listed by sender, some are in blocks, and the last ones in neither.
  const sizes = { block: 16, listed: 128, rows: 40 };
  for (let steps = 0; steps < 30; steps++) await world.run((tx) => senderLists.step(tx, { sizes }));
  await makeSteps(acts.slice(2000));
  // This brings a guest into a channel with messages that never came to them.
  await world.steps([world.leave(GUS, GENERAL), world.say(MEL, GENERAL, 'a')]);
  await world.steps([world.join(GUS, GENERAL), world.say(MEL, GENERAL, 'a')]);
});
afterAll(() => world.close());

const anyPerson = fc.constantFrom(...PEOPLE);
const sole = (operator: string, operands: readonly unknown[]) =>
  operands.map((operand) => ({ operator, operand }));

/** Every operator that one can ask with by itself, with every kind of operand. */
const EACH_TERM = [
  ...sole('channel', [GENERAL, RANDOM, TEAM, BOARD, BOARD + 1]),
  ...sole('topic', ['a', 'B', 'rare', 'general chat', 'none', '✔ A']),
  ...sole('channels', ['public', 'web-public']),
  ...sole('dm', [[IVY], [MEL], [ADA, MEL], [IVY, GUS], [ADA, MEL, GUS]]),
  ...sole('dm-including', PEOPLE),
  ...sole('group-pm-with', PEOPLE),
  ...sole('sender', PEOPLE),
  ...sole('has', ['attachment', 'image', 'link', 'reaction']),
  ...sole('search', ['plan', 'hi', 'rare', '"S: HTTPS"', 'nowhere']),
  ...sole('is', ['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved']),
  ...sole('is', ['followed', 'muted']),
  ...sole('in', ['home', 'all']),
  ...sole('id', [1, 700]),
  ...sole('near', [700]),
];

const term = fc
  .tuple(
    fc.oneof(
      fc
        .constantFrom(GENERAL, RANDOM, TEAM, BOARD, BOARD + 1)
        .map((operand) => ({ operator: 'channel', operand })),
      fc
        .constantFrom('a', 'B', 'rare', 'general chat', 'none', '✔ A')
        .map((operand) => ({ operator: 'topic', operand })),
      fc.constantFrom('public', 'web-public').map((operand) => ({ operator: 'channels', operand })),
      fc.uniqueArray(anyPerson).map((operand) => ({ operator: 'dm', operand })),
      anyPerson.map((operand) => ({ operator: 'dm-including', operand })),
      anyPerson.map((operand) => ({ operator: 'group-pm-with', operand })),
      anyPerson.map((operand) => ({ operator: 'sender', operand })),
      fc
        .constantFrom('attachment', 'image', 'link', 'reaction')
        .map((operand) => ({ operator: 'has', operand })),
      fc
        .constantFrom('plan', 'hi', 'rare', '"S: HTTPS"', 'nowhere')
        .map((operand) => ({ operator: 'search', operand })),
      fc
        .constantFrom(
          ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved'],
          ...['followed', 'muted'],
        )
        .map((operand) => ({ operator: 'is', operand })),
      fc.constantFrom('home', 'all').map((operand) => ({ operator: 'in', operand })),
      fc.nat(1800).map((operand) => ({ operator: 'id', operand })),
      fc.nat(1800).map((operand) => ({ operator: 'near', operand })),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  )
  .map(([{ operator, operand }, negated]) => ({ operator, operand, negated }));

const query = fc.record({
  as: anyPerson,
  narrow: fc.array(term, { maxLength: 3 }),
  anchor: fc.oneof(
    fc.integer({ min: -5, max: 1900 }),
    fc.constantFrom<Anchor>('newest', 'oldest', 'first_unread'),
  ),
  before: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, fc.constant(2000)),
  after: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, fc.constant(2000)),
});

interface ListRequest {
  readonly as: number;
  readonly narrow: readonly object[];
  readonly anchor: Anchor;
  readonly before: number;
  readonly after: number;
}

/** Returns true if it was answered, after a check that the answer is right. */
function expectAnswer({ as, narrow: terms, anchor, before, after }: ListRequest): boolean {
  const narrow = attempt(() => parseNarrow(terms));
  if (narrow === undefined) return false;
  const list = attempt(() => fetch(world, { as, narrow: terms, anchor, before, after }));
  const isHidden = narrow.some(
    (one) => one.operator === 'channel' && !mayKnow(as, Number(one.operand)),
  );
  expect(list === undefined).toBe(isHidden);
  if (list === undefined) return false;
  const all = expectedIds(world, as, narrow);
  const at = expectedAnchor(as, narrow, anchor);
  const older = all.filter((id) => id < at).slice(before === 0 ? Infinity : -before);
  const newer = all.filter((id) => id > at).slice(0, after);
  expect(list.anchor).toBe(at);
  expect(ids(list)).toEqual([...older, ...all.filter((id) => id === at), ...newer]);
  expect(list.found_anchor).toBe(all.includes(at));
  expect(list.found_oldest).toBe(at === 0 || older.length < before);
  expect(list.found_newest).toBe(at === LAST || newer.length < after);
  return true;
}

test('a fetch gives what looking at every message would give, whatever is asked', () => {
  expect(world.model.messages.length).toBeGreaterThan(1000);
  let answered = 0;
  fc.assert(
    fc.property(query, (request) => {
      if (expectAnswer(request)) answered += 1;
    }),
    { numRuns: RUNS },
  );
  expect(answered).toBeGreaterThan(RUNS / 2);
});

test.each(EACH_TERM)('$operator:$operand and its negation, alone and in a channel', (one) => {
  const anchors = ['newest', 'oldest', 'first_unread', 700] as const;
  let answered = 0;
  for (const negated of [false, true]) {
    for (const [index, as] of PEOPLE.entries()) {
      const anchor = anchors[(index + Number(negated)) % anchors.length] ?? 'newest';
      const here = { operator: 'channel', operand: GENERAL };
      for (const narrow of [[{ ...one, negated }], [here, { ...one, negated }]]) {
        if (expectAnswer({ as, narrow, anchor, before: 1000, after: 1000 })) answered += 1;
      }
    }
  }
  expect(answered).toBeGreaterThan(0);
});

function expectedAnchor(as: number, narrow: readonly NarrowTerm[], anchor: Anchor): number {
  if (anchor === 'newest') return LAST;
  if (anchor === 'oldest') return 0;
  if (anchor !== 'first_unread') return Math.max(anchor, 0);
  const { model } = world;
  const unread = parseNarrow([{ operator: 'is', operand: 'unread' }]);
  const names = (name: string) => narrow.some((one) => one.operator === name && !one.negated);
  const first = expectedIds(world, as, [...narrow, ...unread]).find((id) => {
    const message = model.messages.find((one) => one.id === id) ?? expect.fail('it is listed');
    if (message.channelId === 0) return true;
    if (!isSubscribedIn(model, message.channelId, as)) return false;
    if (names('topic')) return true;
    if (names('channel')) return policyOf(model, as, message) !== 1;
    return !isMutedFor(model, as, message);
  });
  return first ?? LAST;
}

/** Ada is an administrator; the extra channels are public. */
const mayKnow = (userId: number, channelId: number) =>
  userId === ADA ||
  isSubscribedIn(world.model, channelId, userId) ||
  (userId !== GUS && channelId !== TEAM && channelId !== BOARD);

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined; // a refusal
    throw error;
  }
}
