import { IMPORTED_PERMITTED_MAX } from '../../domain/limits/archives.ts';
import type { ImportedPermissions } from '../../operations/importing/permissions.ts';
import type { HistoryGroup } from '../history.ts';
import type { Report } from './report.ts';
import { openSteps } from './steps.ts';
import type { Ask, StepReply } from './target.ts';

interface Input {
  readonly ask: Ask;
  readonly of: object;
}

interface Kept {
  readonly id: string;
  readonly users: readonly string[];
  readonly permissions: ImportedPermissions;
}

/** The word of the report for permissions that are left out. */
const PERMISSIONS = 'permissions of a group';

/** The characters of an id, on average. */
const ID_LENGTH = 10;

/** Counts the people and groups in permissions, and each permission as one more. */
const permittedIn = (permissions: ImportedPermissions): number =>
  Object.values(permissions).reduce(
    (sum, { users, groups }) => sum + users.length + groups.length + 1,
    0,
  );

/** Tells about how long permissions are when they are sent. */
export const permissionCharacters = (permissions: ImportedPermissions): number =>
  ID_LENGTH * permittedIn(permissions);

/**
 * Keeps who is in groups, and who may do what with them, until all groups are there, as groups name
 * each other.
 */
export function openGroups({ ask, of }: Input, report: Report) {
  let kept: Kept[] = [];
  let left = IMPORTED_PERMITTED_MAX;
  const send = (step: 'import members' | 'import permissions') => async (rows: readonly object[]) =>
    (await ask(step, { ...of, rows })) as StepReply;
  const members = openSteps<{ readonly group: string; readonly user: string }>({
    send: send('import members'),
    onRefused: ({ group, user }, why) =>
      report.skip({ what: 'member of a group', row: user, name: group, why }),
  });
  const permitted = openSteps<Pick<Kept, 'id' | 'permissions'>>({
    send: send('import permissions'),
    onRefused: ({ id }, why) => report.skip({ what: PERMISSIONS, row: id, why }),
    charactersOf: ({ permissions }) => permissionCharacters(permissions),
  });
  return {
    keep({ id, name, members: users, permissions = {} }: HistoryGroup) {
      const count = permittedIn(permissions);
      const isTooMuch = count > left;
      if (isTooMuch) {
        const why = 'The permissions of groups name too many people and groups.';
        report.skip({ what: PERMISSIONS, row: id, name, why });
      } else left -= count;
      kept.push({ id, users, permissions: isTooMuch ? {} : permissions });
    },
    async finish() {
      const ready = kept;
      kept = [];
      for (const { id, users } of ready) {
        for (const user of users) await members.add({ group: id, user });
      }
      await members.end();
      // Permissions come last, as a group that has them is whole.
      for (const { id, permissions } of ready) await permitted.add({ id, permissions });
      await permitted.end();
    },
  };
}
