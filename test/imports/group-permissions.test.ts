import { expect, test } from 'vitest';
import { IMPORTED_PERMITTED_MAX } from '../../src/domain/limits/archives.ts';
import { openGroupPermissions } from '../../src/imports/running/group-permissions.ts';
import { openReport } from '../../src/imports/running/report.ts';
import type { Ask } from '../../src/imports/running/target.ts';

const group = (id: string, userCount: number) => ({
  kind: 'group' as const,
  id,
  name: `group ${id}`,
  description: '',
  members: [],
  permissions: { can_mention_group: { users: Array<string>(userCount).fill('7'), groups: [] } },
});

/** Takes the steps, and returns the rows of each. */
function openAsked() {
  const steps: { readonly id: string }[][] = [];
  const ask: Ask = async (_step, args) => {
    steps.push((args as { rows: { readonly id: string }[] }).rows);
    return { counts: {}, refused: [] };
  };
  return { steps, ask };
}

test('permissions of groups wait until all groups are there, and those beyond the bound are reported', async () => {
  const { steps, ask } = openAsked();
  const report = openReport();
  const permissions = openGroupPermissions({ ask, of: {} }, report);
  permissions.keep(group('1', 2));
  permissions.keep(group('2', IMPORTED_PERMITTED_MAX));
  permissions.keep(group('3', 1));
  expect(steps).toEqual([]);
  await permissions.enter();
  expect(steps.flat().map(({ id }) => id)).toEqual(['1', '3']);
  expect(report.lines({})).toContainEqual(
    expect.objectContaining({ left_out: 'permissions of a group', row: '2', name: 'group 2' }),
  );
});

test('long permissions are sent in several steps', async () => {
  const { steps, ask } = openAsked();
  const permissions = openGroupPermissions({ ask, of: {} }, openReport());
  for (const id of ['1', '2', '3']) permissions.keep(group(id, 2_000));
  await permissions.enter();
  expect(steps.map((rows) => rows.length)).toEqual([1, 1, 1]);
});
