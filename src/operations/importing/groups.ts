import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as userGroups from '../groups/user-groups.ts';
import { idOf, quiet, remember } from './imported-ids.ts';
import { type Entered, type Importing, importer } from './people.ts';
import { GroupState, noteState, stateOf, systemGroupNamed } from './permissions.ts';

export interface ImportedGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Groups within it, which are there already. */
  readonly subgroups?: readonly string[] | undefined;
}

/** Adds a group of people, without any. Refuses a name that cannot be one here. */
export function enterGroup(tx: RealmTransaction, of: Importing, given: ImportedGroup): Entered {
  if (idOf(tx, of.source, 'group', given.id) !== undefined) return 'known';
  const known = tx.groupNames.get([given.name.toLowerCase()])?.groupId;
  if (known !== undefined) {
    remember(tx, of.source, 'group', { from: given.id, to: known });
    noteState(tx, of, given.id, GroupState.others);
    return 'matched';
  }
  const subgroupIds = (given.subgroups ?? [])
    .map((from) => idOf(tx, of.source, 'group', from) ?? systemGroupNamed(from))
    .filter((id) => id !== undefined)
    .filter((id) => tx.groups.get([id])?.isDeactivated !== true);
  const { name, description } = given;
  const group = userGroups.create(
    quiet(tx),
    { user: importer(tx), site: of.site, client: of.format },
    { name, description, memberIds: [], subgroupIds, permissions: {} },
  );
  remember(tx, of.source, 'group', { from: given.id, to: group.id });
  noteState(tx, of, given.id, GroupState.begun);
  return 'added';
}

export interface ImportedMember {
  readonly group: string;
  readonly user: string;
}

/**
 * Adds somebody to a group that the import is making. Later runs add nobody, as some may have left.
 */
export function enterMember(
  tx: RealmTransaction,
  of: Importing,
  { group, user }: ImportedMember,
): 'added' | 'known' {
  const groupId = idOf(tx, of.source, 'group', group);
  const userId = idOf(tx, of.source, 'user', user);
  if (groupId === undefined || userId === undefined) return 'known';
  if (stateOf(tx, of, group) !== GroupState.begun || tx.groupMembers.has([groupId, userId])) {
    return 'known';
  }
  tx.groupMembers.put([groupId, userId], {});
  tx.userGroups.put([userId, groupId], {});
  return 'added';
}
