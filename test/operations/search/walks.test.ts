import { expect, test } from 'vitest';
import { fetchMessages } from '../../../src/operations/reading/message-list.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { FORM, type Wire } from '../../support/model/message-lists.ts';
import { ADA, GENERAL, MEL, RANDOM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { SITE } from '../../support/site.ts';

/** Returns the ids of Mel's newest messages, and how many messages were looked at for them. */
function newest(realm: ModelledRealm, numBefore: number) {
  let looks = 0;
  const { messages } = realm.reader;
  const counting: RealmReader = {
    ...realm.reader,
    messages: {
      ...messages,
      get(key) {
        looks += 1;
        return messages.get(key);
      },
      leading(key, count) {
        looks += 1;
        return messages.leading(key, count);
      },
    },
  };
  const list = fetchMessages(counting, {
    ...FORM,
    ...{ user: userOf(realm.reader, MEL), site: SITE, narrow: [] },
    ...{ anchor: 'newest', includeAnchor: true, numBefore, numAfter: 0 },
  });
  return { ids: (list.messages as Wire[]).map(({ id }) => id), looks };
}

/** Ada says so many things in a channel that Mel is in, each after so many in another one. */
async function realmWith({ said, elsewhere }: { said: number; elsewhere: number }) {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.leave(MEL, RANDOM)]);
  for (let index = 0; index < said; index++) {
    const others = Array.from({ length: elsewhere }, () => realm.say(ADA, RANDOM, 'a'));
    await realm.steps([...others, realm.say(ADA, GENERAL, 'a')]);
  }
  const ids = Array.from({ length: said }, (_, index) => (index + 1) * (elsewhere + 1));
  return { realm, ids };
}

test('one who reads most of what is said is given it from the list of all messages', async () => {
  const { realm, ids } = await realmWith({ said: 40, elsewhere: 1 });
  const page = newest(realm, 20);
  expect(page.ids).toEqual(ids.slice(-20));
  // The rows of the page, and as many of the other channel, some of which are looked at twice.
  expect(page.looks).toBeLessThanOrEqual(70);
});

test('one who reads little of what is said is given it from the lists of the channels', async () => {
  const { realm, ids } = await realmWith({ said: 40, elsewhere: 20 });
  expect(newest(realm, 20).ids).toEqual(ids.slice(-20));
  const page = newest(realm, 5000);
  expect(page.ids).toEqual(ids);
  // There are 840 messages. It looks at the first until it is clear how few are Mel's, and then
  // only at those that it gives.
  expect(page.looks).toBeLessThanOrEqual(120);
});
