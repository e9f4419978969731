import { expect, test } from 'vitest';
import { MARKING_MS_MAX, MESSAGES_PER_MARKING } from '../../../src/domain/limits/messages.ts';
import { FlagBit } from '../../../src/domain/wire/flags.ts';
import { type AllRead, markAllStep } from '../../../src/operations/reading/mark-as-read.ts';
import { copyMessage } from '../../support/model/message-copies.ts';
import { ADA, GENERAL, MEL } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';

/** Mel has read so many messages, and then marked them unread one by one. */
async function marked(count: number): Promise<ModelledRealm> {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.say(ADA, GENERAL, 'a')]);
  await realm.run((tx) => {
    for (let copy = 1; copy < count; copy++) copyMessage(tx, 1);
  });
  const all = Array.from({ length: count }, (_, index) => index + 1);
  await realm.steps([realm.read(MEL, all), realm.unread(MEL, all)]);
  expect(left(realm)).toBe(count);
  return realm;
}

const left = ({ reader }: ModelledRealm) =>
  [...reader.flaggedMessages.keysUnder([MEL, FlagBit.unread])].length;

const step = async (realm: ModelledRealm, before?: AllRead) => {
  let after: AllRead | undefined;
  await realm.run((tx) => {
    after = markAllStep(tx, userOf(tx, MEL), before);
  });
  return after ?? expect.fail('the step was not run');
};

test('as many messages as one commit may read are read in one step, and one more takes another', async () => {
  const few = await marked(MESSAGES_PER_MARKING);
  expect(await step(few)).toMatchObject({ isComplete: true });
  expect(left(few)).toBe(0);

  const many = await marked(MESSAGES_PER_MARKING + 1);
  const first = await step(many);
  expect(first).toMatchObject({ isComplete: null });
  expect(left(many)).toBe(1);
  expect(await step(many, first)).toMatchObject({ isComplete: true });
  expect(left(many)).toBe(0);
  expect([...many.reader.messageFlags.keysUnder([MEL])]).toEqual([]);
});

test('when the time is up it says so, and asked again it goes on with what is left', async () => {
  const realm = await marked(2 * MESSAGES_PER_MARKING + 1);
  const first = await step(realm);
  expect(first.deadline).toBeGreaterThanOrEqual(MARKING_MS_MAX);
  const late = await step(realm, { ...first, deadline: 0 });
  expect(late.isComplete).toBe(false);
  expect(left(realm)).toBe(MESSAGES_PER_MARKING + 1);
  const again = await step(realm);
  expect(again.isComplete).toBe(null);
  expect(await step(realm, again)).toMatchObject({ isComplete: true });
  expect(left(realm)).toBe(0);
});

test('bits that say what is read through says are dropped step by step, and all others are kept', async () => {
  const realm = await marked(1);
  const count = 2 * MESSAGES_PER_MARKING;
  await realm.run((tx) => {
    for (let copy = 0; copy < count; copy++) {
      const id = copyMessage(tx, 1);
      const isStarred = copy === 0;
      const bits = FlagBit.read | (isStarred ? FlagBit.starred : 0);
      tx.messageFlags.put([MEL, id], { bits });
    }
  });
  const states: (boolean | null)[] = [];
  for (let progress: AllRead | undefined; states.at(-1) !== true; ) {
    progress = await step(realm, progress);
    states.push(progress.isComplete);
  }
  expect(states).toEqual([null, null, true]);
  const rows = [...realm.reader.messageFlags.under([MEL])];
  expect(rows).toEqual([[[MEL, 2], { bits: FlagBit.starred }]]);
});
