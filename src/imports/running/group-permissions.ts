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

/** Keeps who may do what with groups until all groups are there, as groups name each other. */
export function openGroupPermissions({ ask, of }: Input, report: Report) {
  let kept: { readonly id: string; readonly permissions: ImportedPermissions }[] = [];
  let left = IMPORTED_PERMITTED_MAX;
  const steps = openSteps<(typeof kept)[number]>(
    async (rows) => (await ask('import permissions', { ...of, rows })) as StepReply,
    ({ permissions }) => permissionCharacters(permissions),
  );
  return {
    keep({ id, name, permissions }: HistoryGroup) {
      if (permissions === undefined) return;
      const count = permittedIn(permissions);
      if (count > left) {
        const why = 'The permissions of groups name too many people and groups.';
        report.skip({ what: 'permissions of a group', row: id, name, why });
        return;
      }
      left -= count;
      kept.push({ id, permissions });
    },
    async enter() {
      const ready = kept;
      kept = [];
      for (const one of ready) await steps.add(one);
      await steps.end();
    },
  };
}
