import type { GroupSetting } from '../../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import {
  allowedSystemGroups,
  type PermissionSetting,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../domain/wire/settings/permission-settings.ts';
import { SYSTEM_GROUPS, systemGroupId, systemGroupName } from '../../domain/wire/system-groups.ts';
import { noteUses } from '../access/group-settings.ts';
import { idOf, remember } from './imported-ids.ts';

interface Source {
  readonly source: string;
}

type Here = Pick<RealmTransaction, 'importedIds' | 'groups' | 'users'>;

/** People and groups who may do something; groups of roles are given by their names. */
export interface ImportedPermission {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** By the names of permissions, of which only those that are known here count. */
export type ImportedPermissions = Readonly<Record<string, ImportedPermission>>;

/** Groups that are made of roles have the same names in services of this kind. */
export function systemGroupNamed(name: string): number | undefined {
  const known = SYSTEM_GROUPS.find((group) => group.name === name);
  return known === undefined ? undefined : systemGroupId(known.name);
}

export const ofChannel = (tx: Here, of: Source, given: ImportedPermissions) =>
  settingsOf(tx, of, { given, known: SERVER_SUPPORTED_PERMISSION_SETTINGS.stream });

/**
 * Sets who may do what with a group that the import has made, once all groups are there: they may
 * name each other.
 */
export function enterPermissions(
  tx: RealmTransaction,
  of: Source,
  { id, permissions: given }: { readonly id: string; readonly permissions: ImportedPermissions },
): 'added' | 'known' {
  const groupId = idOf(tx, of.source, 'group', id);
  const row = groupId === undefined ? undefined : tx.groups.get([groupId]);
  const state = stateOf(tx, of, id);
  const isOpen = state === GroupState.begun || state === GroupState.made;
  if (row === undefined || !isOpen) return 'known';
  const known = SERVER_SUPPORTED_PERMISSION_SETTINGS.group;
  const permissions = { ...row.permissions, ...settingsOf(tx, of, { given, known }) };
  tx.groups.put([row.id], { ...row, permissions });
  noteUses(tx, { kind: 'group', id: row.id }, { before: row.permissions, after: permissions });
  noteState(tx, of, id, GroupState.whole);
  return 'added';
}

/**
 * A group was there before, or an import has begun it and then set its permissions, when its people
 * were in it. Others than those that an import has made keep their own, and get none of those that
 * the group of the source had: they may have other people. `made` has its people, and was noted by
 * versions that added them with the group.
 */
export const GroupState = { others: 0, made: 1, whole: 2, begun: 3 } as const;
type GroupState = (typeof GroupState)[keyof typeof GroupState];

const nameOf = (id: string) => `permissions of group ${id}`;

export const noteState = (
  tx: RealmTransaction,
  { source }: Source,
  id: string,
  state: GroupState,
) => remember(tx, source, 'choice', { from: nameOf(id), to: state });

export const stateOf = (tx: Here, { source }: Source, id: string): number =>
  idOf(tx, source, 'choice', nameOf(id)) ?? GroupState.others;

interface Given<Name extends string> {
  readonly given: ImportedPermissions;
  readonly known: Readonly<Record<Name, PermissionSetting>>;
}

function settingsOf<Name extends string>(
  tx: Here,
  of: Source,
  { given, known }: Given<Name>,
): Partial<Record<Name, GroupSetting>> {
  const settings: Partial<Record<Name, GroupSetting>> = {};
  // The names are those of the type; `Object.entries` loses them.
  for (const [name, setting] of Object.entries(known) as [Name, PermissionSetting][]) {
    const permission = given[name];
    if (permission === undefined) continue;
    const value = storedOf(tx, of, permission);
    const group = typeof value === 'number' ? systemGroupName(value) : undefined;
    // A group that may not have the permission here leaves it as it is by default.
    if (group !== undefined && !allowedSystemGroups(setting).includes(group)) continue;
    settings[name] = value;
  }
  return settings;
}

/**
 * Returns a permission as it is stored. People whose accounts are not active yet have it once they
 * are. A group that did not come along has it no more: what is left may be nobody.
 */
function storedOf(tx: Here, of: Source, { users, groups }: ImportedPermission): GroupSetting {
  const direct_members = each(users, (id) => idOf(tx, of.source, 'user', id)).filter(
    (id) => tx.users.get([id])?.isSystem === false,
  );
  const direct_subgroups = each(groups, (id) => systemGroupNamed(id) ?? madeGroup(tx, of, id));
  const [only, ...others] = direct_subgroups;
  if (direct_members.length > 0 || others.length > 0) return { direct_members, direct_subgroups };
  return only ?? systemGroupId('role:nobody');
}

const each = (ids: readonly string[], here: (id: string) => number | undefined): number[] =>
  inOrder(ids.map(here).filter((id) => id !== undefined));

/** Returns a group that the import has made, and that nobody has deactivated since. */
function madeGroup(tx: Here, of: Source, id: string): number | undefined {
  const groupId = idOf(tx, of.source, 'group', id);
  if (groupId === undefined || stateOf(tx, of, id) === GroupState.others) return undefined;
  return tx.groups.get([groupId])?.isDeactivated === false ? groupId : undefined;
}
