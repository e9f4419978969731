import { expect, test } from 'vitest';
import { IMPORTED_PERMITTED_MAX } from '../../src/domain/limits/archives.ts';
import { openGroups } from '../../src/imports/running/groups.ts';
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

interface Row {
  readonly id: string;
  readonly permissions: object;
}

/** Takes the steps, and returns the rows of each. */
function openAsked() {
  const steps: Row[][] = [];
  const ask: Ask = async (_step, args) => {
    steps.push((args as { rows: Row[] }).rows);
    return { counts: {}, refused: [] };
  };
  return { steps, ask };
}

test('permissions of groups wait until all groups are there, and those beyond the bound are reported', async () => {
  const { steps, ask } = openAsked();
  const report = openReport();
  const groups = openGroups({ ask, of: {} }, report);
  groups.keep(group('1', 2));
  groups.keep(group('2', IMPORTED_PERMITTED_MAX));
  groups.keep(group('3', 1));
  expect(steps).toEqual([]);
  await groups.finish();
  const named = steps.flat().map(({ id, permissions }) => [id, Object.keys(permissions).length]);
  expect(named).toEqual([
    ['1', 1],
    ['2', 0],
    ['3', 1],
  ]);
  expect(report.lines({})).toContainEqual(
    expect.objectContaining({ left_out: 'permissions of a group', row: '2', name: 'group 2' }),
  );
});

test('long permissions are sent in several steps', async () => {
  const { steps, ask } = openAsked();
  const groups = openGroups({ ask, of: {} }, openReport());
  for (const id of ['1', '2', '3']) groups.keep(group(id, 2_000));
  await groups.finish();
  expect(steps.map((rows) => rows.length)).toEqual([1, 1, 1]);
});
