import type { RealmReader } from '../../storage/realm-store.ts';
import type { GroupSetting } from '../../storage/tables/channels.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { type RealmSettings, realmSettingsDefaults } from '../domain/realm-settings.ts';
import { isInSystemGroup } from '../domain/system-groups.ts';
import { isFullMember } from '../domain/users.ts';

const DEFAULTS = realmSettingsDefaults();

/** The part of a transaction that reading needs; an operation may hand its own. */
export type Reads = Omit<RealmReader, 'head' | 'accountsVersion'>;

export function realmSettings(tx: Reads): RealmSettings {
  return { ...DEFAULTS, ...tx.realm.get(['realm'])?.settings };
}

/** Whether a user is in the group that a setting names, directly or through subgroups. */
export function isInGroup(
  user: UserRow,
  setting: GroupSetting,
  { waitingDays, nowSeconds }: { waitingDays: number; nowSeconds: number },
): boolean {
  const standing = {
    role: user.role,
    isFullMember: isFullMember(user, { waitingDays, nowSeconds }),
  };
  if (typeof setting === 'number') return isInSystemGroup(standing, setting);
  return (
    setting.direct_members.includes(user.id) ||
    setting.direct_subgroups.some((groupId) => isInSystemGroup(standing, groupId))
  );
}

/** One setting of the realm, without building all of them: for what every send looks at. */
export const realmSetting = <Name extends keyof RealmSettings>(tx: Reads, name: Name) =>
  (tx.realm.get(['realm'])?.settings[name] ?? DEFAULTS[name]) as RealmSettings[Name];

/** Whether the user may do what a realm or channel setting grants to a group. */
export function isAllowed(
  tx: Reads & { readonly now?: number },
  user: UserRow,
  setting: GroupSetting,
): boolean {
  return isInGroup(user, setting, {
    waitingDays: realmSetting(tx, 'waiting_period_threshold'),
    nowSeconds: Math.floor((tx.now ?? Date.now()) / 1000),
  });
}
