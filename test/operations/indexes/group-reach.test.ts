import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { membersOf } from '../../../src/operations/access/groups.ts';
import { Reaches } from '../../../src/operations/indexes/group-reach.ts';
import { ADA, BOARD, GENERAL, GUS, MEL, RANDOM, TEAM } from '../../support/model/model.ts';
import { modelledRealm } from '../../support/model/modelled-realm.ts';

const EVERYONE = systemGroupId('role:everyone');

test('lists are the same while there is room for their people, and then begin anew', async () => {
  const realm = await modelledRealm();
  await realm.steps([ADA, MEL, GUS].map((userId) => realm.join(userId, GENERAL)));
  await realm.run((tx) => {
    const of = (reaches: Reaches, channelId: number) =>
      reaches.of(tx, { groupId: EVERYONE, channelId });
    const people = membersOf(tx, EVERYONE).length;
    // There is room for three lists of the members of a channel beside that of the group itself.
    const room = 4 * 16 + people + 3;
    const tight = new Reaches(room - 1);
    const wide = new Reaches(room);
    for (const [reaches, isSame] of [
      [wide, true],
      [tight, false],
    ] as const) {
      const before = of(reaches, GENERAL);
      expect(before).toEqual([ADA, MEL, GUS]);
      expect(of(reaches, GENERAL)).toBe(before);
      for (const channelId of [RANDOM, TEAM]) expect(of(reaches, channelId)).toEqual([]);
      expect(of(reaches, GENERAL) === before).toBe(isSame);
      expect(of(reaches, GENERAL)).toEqual(before);
    }
    const none = new Reaches(0);
    expect(of(none, GENERAL)).toEqual([ADA, MEL, GUS]);
    expect(of(none, BOARD)).toEqual([]);
  });
});
