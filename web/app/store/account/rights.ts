/** The rights of people, as far as the page has to know them: the server decides. */
import type { Contents } from '@confab/client/store';

export const ROLES: readonly (readonly [role: number, name: string])[] = [
  [100, 'Owner'],
  [200, 'Administrator'],
  [300, 'Moderator'],
  [400, 'Member'],
  [600, 'Guest'],
];

export const roleName = (role: number): string =>
  ROLES.find(([one]) => one === role)?.[1] ?? 'Member';

/** The value of a setting that says who may do something: a group, or some people and groups. */
export type Holders =
  | number
  | { readonly direct_members: readonly number[]; readonly direct_subgroups: readonly number[] };

/** Tests whether a person is among those whom a setting names. */
export function isAmong(state: Contents, userId: number, holders: Holders | undefined): boolean {
  if (holders === undefined) return false;
  if (typeof holders !== 'number' && holders.direct_members.includes(userId)) return true;
  const open = typeof holders === 'number' ? [holders] : [...holders.direct_subgroups];
  const seen = new Set(open);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const group = state.groups.get(id);
    if (group === undefined) continue;
    if (group.members.includes(userId)) return true;
    for (const inner of group.direct_subgroup_ids) {
      if (!seen.has(inner)) {
        seen.add(inner);
        open.push(inner);
      }
    }
  }
  return false;
}

/** Administrators and owners administer all channels that they know of. */
export const mayAdministerChannel = (state: Contents, channelId: number): boolean =>
  isAdministrator(state) ||
  isAmong(state, state.ownId, state.channels.get(channelId)?.can_administer_channel_group);

export const isAdministrator = ({ facts }: Contents): boolean =>
  facts.is_admin === true || facts.is_owner === true;

/** Returns the roles that an account may give: none that is above its own. */
export function givenRoles(state: Contents): readonly (readonly [role: number, name: string])[] {
  const own = state.users.get(state.ownId)?.role ?? 600;
  if (!isAdministrator(state)) return ROLES.filter(([role]) => role >= Math.max(own, 400));
  return ROLES.filter(([role]) => role >= own);
}
