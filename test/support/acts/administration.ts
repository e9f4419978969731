import fc from 'fast-check';
import { SYSTEM_GROUPS, systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { NAMES } from '../users.ts';

/** Random acts of people who run an organization draw on these values. */

export const ROLES = [100, 200, 300, 400, 600] as const;
export const managers = fc.constantFrom('ona', 'ona', 'ona', 'ada', 'mia', 'mel');
export const who = fc.constantFrom(...NAMES);
/** Seven are there from the start, and some come. */
export const userId = fc.integer({ min: 1, max: 12 });
export const newcomerId = fc.integer({ min: 8, max: 12 });
export const channelId = fc.integer({ min: 1, max: 4 });
export const channelName = fc.constantFrom('one', 'two', 'three', 'four');
export const groupId = fc.constantFrom(101, 102);
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
export const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.uniqueArray(arbitrary, { maxLength: 3 });
/** All but that of those who are not logged in. */
export const systemGroup = fc.constantFrom(
  ...SYSTEM_GROUPS.map(({ name }) => name)
    .filter((name) => name !== 'role:internet')
    .map(systemGroupId),
);
export const setting = fc.oneof(
  systemGroup,
  groupId,
  fc.record({ direct_members: few(userId), direct_subgroups: few(fc.oneof(groupId, systemGroup)) }),
);
export const change = maybe(setting.map((value) => ({ new: value })));
