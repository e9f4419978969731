import type { ProfileFieldRow, ProfileValueRow } from '../../../storage/tables/people/profiles.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { PROFILE_FIELDS_MAX, PROFILE_SUMMARY_FIELDS_MAX } from '../../domain/limits/accounts.ts';
import {
  acceptableData,
  FIELD_TYPES,
  FieldType,
  isShortEnough,
  knownAccount,
} from '../../domain/rules/people/profile-fields.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Made } from '../../domain/wire/objects.ts';
import type { customProfileField } from '../../domain/wire/realm-objects.ts';
import { accounts, type Reads } from '../access/groups.ts';
import * as profileValues from './profile-values.ts';

/** A requested field; missing properties stay, or have their defaults. */
export interface FieldChange {
  readonly name?: string | undefined;
  readonly hint?: string | undefined;
  readonly field_data?: unknown;
  readonly required?: boolean | undefined;
  readonly editable_by_user?: boolean | undefined;
  readonly display_in_profile_summary?: boolean | undefined;
}

/** Adds a field at the end. */
export function add(
  tx: RealmTransaction,
  { field_type: type, ...given }: FieldChange & { field_type: number },
): { id: number } {
  if (!FIELD_TYPES.includes(type)) throw errors.badRequest('Invalid field type.');
  const rows = ordered(tx);
  if (rows.length >= PROFILE_FIELDS_MAX) {
    throw errors.badRequest(`There are ${PROFILE_FIELDS_MAX} custom profile fields already.`);
  }
  const fieldData = dataOf(type, given.field_data ?? {});
  // An external account of a known service has the same name everywhere.
  const known = type === FieldType.externalAccount ? knownAccount(fieldData) : undefined;
  const name = known?.name ?? given.name;
  if (name === undefined) throw errors.missingParameter('name');
  const row: ProfileFieldRow = {
    id: tx.nextId('profileField'),
    type,
    name,
    hint: known?.hint ?? given.hint ?? '',
    fieldData,
    order: (rows.at(-1)?.order ?? 0) + 1,
    isRequired: given.required ?? false,
    isEditable: given.editable_by_user ?? true,
    isInSummary: given.display_in_profile_summary ?? false,
  };
  put(tx, row);
  announce(tx);
  return { id: row.id };
}

/** Changes a field, and removes values that are no longer among its options. */
export function update(tx: RealmTransaction, id: number, given: FieldChange) {
  const before = find(tx, id);
  const fieldData =
    given.field_data === undefined ? before.fieldData : dataOf(before.type, given.field_data);
  const after: ProfileFieldRow = {
    ...before,
    name: given.name ?? before.name,
    hint: given.hint ?? before.hint,
    fieldData,
    isRequired: given.required ?? before.isRequired,
    isEditable: given.editable_by_user ?? before.isEditable,
    isInSummary: given.display_in_profile_summary ?? before.isInSummary,
  };
  const isSame = (['name', 'hint', 'fieldData'] as const).every(
    (key) => after[key] === before[key],
  );
  const isKnown =
    before.type === FieldType.externalAccount && knownAccount(before.fieldData) !== undefined;
  if (isKnown && !isSame) throw errors.badRequest('Default custom field cannot be updated.');
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  put(tx, after);
  if (after.type === FieldType.options && !isSame) removeLostChoices(tx, after);
  announce(tx);
}

/** Removes a field with all values: clients drop the values of fields that are gone. */
export function remove(tx: RealmTransaction, id: number) {
  find(tx, id);
  tx.profileFields.remove([id]);
  for (const user of accounts(tx)) tx.profileValues.remove([user.id, id]);
  announce(tx);
}

/** Reorders all fields. */
export function reorder(tx: RealmTransaction, ids: readonly number[]) {
  const rows = ordered(tx);
  const isWhole = rows.length === ids.length && new Set(ids).size === ids.length;
  if (!isWhole || !rows.every(({ id }) => ids.includes(id))) {
    throw errors.badRequest('Invalid order mapping.');
  }
  if (rows.every(({ id }, index) => ids[index] === id)) return;
  for (const row of rows) {
    tx.profileFields.put([row.id], { ...row, order: ids.indexOf(row.id) + 1 });
  }
  announce(tx);
}

/** Returns the fields as clients get them, in order. */
export const list = (tx: Reads): Made<typeof customProfileField>[] =>
  ordered(tx).map((row) => ({
    id: row.id,
    type: row.type,
    name: row.name,
    hint: row.hint,
    field_data: row.fieldData,
    order: row.order,
    required: row.isRequired,
    editable_by_user: row.isEditable,
    ...(row.isInSummary ? { display_in_profile_summary: true as const } : {}),
  }));

function find(tx: Reads, id: number): ProfileFieldRow {
  const row = tx.profileFields.get([id]);
  if (row === undefined) throw errors.badRequest(`Field id ${id} not found.`);
  return row;
}

function put(tx: RealmTransaction, row: ProfileFieldRow) {
  if (row.name === '') throw errors.badRequest('Label cannot be blank.');
  const others = ordered(tx).filter(({ id }) => id !== row.id);
  if (others.some(({ name }) => name === row.name)) {
    throw errors.badRequest('A field with that label already exists.');
  }
  if (row.isInSummary) {
    if (!isShortEnough(row.type)) {
      throw errors.badRequest('Field type not supported for display in profile summary.');
    }
    const shown = others.filter(({ isInSummary }) => isInSummary).length;
    if (shown >= PROFILE_SUMMARY_FIELDS_MAX) {
      throw errors.badRequest(
        `Only ${PROFILE_SUMMARY_FIELDS_MAX} custom profile fields can be displayed in the profile summary.`,
      );
    }
  }
  tx.profileFields.put([row.id], row);
}

function dataOf(type: number, given: unknown): string {
  const data = acceptableData(type, given);
  if ('fault' in data) throw errors.badRequest(data.fault);
  return data.text;
}

function removeLostChoices(tx: RealmTransaction, field: ProfileFieldRow) {
  const choices: object = JSON.parse(field.fieldData);
  const isLost = (row: ProfileValueRow | undefined) =>
    row !== undefined && !Object.hasOwn(choices, row.value);
  const affected = [...accounts(tx)].filter((user: UserRow) =>
    isLost(tx.profileValues.get([user.id, field.id])),
  );
  for (const user of affected) profileValues.removeOne(tx, user, field.id);
}

const ordered = (tx: Reads): ProfileFieldRow[] =>
  Array.from(tx.profileFields.range({}), ([, row]) => row).sort(
    (one, other) => one.order - other.order,
  );

function announce(tx: RealmTransaction) {
  tx.emit({
    event: { type: 'custom_profile_fields', fields: list(tx) },
    audience: { everyone: true },
  });
}
