import type { ProfileFieldRow, ProfileValueRow } from '../../../storage/tables/people/profiles.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { acceptableValue, isRendered } from '../../domain/rules/people/profile-fields.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Made, profileData } from '../../domain/wire/objects.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { visibilityTo, whoSees } from '../access/user-visibility.ts';
import { mentionDirectory } from '../rendering/mention-directory.ts';

export interface ProfileEntry {
  readonly id: number;
  /** Null, or an empty value, removes it. */
  readonly value: string | readonly number[] | null;
}

/** Sets values in a user's profile, all of them or none. */
export function set(
  tx: RealmTransaction,
  { user: by, site }: Pick<Caller, 'user' | 'site'>,
  {
    user,
    entries,
    allowsInactive = false,
  }: {
    user: UserRow;
    entries: readonly ProfileEntry[];
    /** True if accounts that are not active can be values, as in an import. */
    allowsInactive?: boolean;
  },
) {
  for (const { id, value } of entries) {
    const field = changeable(tx, id, by);
    const isNone = value === null || value.length === 0;
    const text = isNone ? '' : acceptable(tx, { field, by, allowsInactive }, value);
    if (text === '') {
      removeOne(tx, user, id);
      continue;
    }
    const before = tx.profileValues.get([user.id, id]);
    if (text === before?.value) continue;
    const row: ProfileValueRow = {
      value: text,
      renderedValue: isRendered(field.type)
        ? renderMarkdown(text, mentionDirectory(tx, user, site)).html
        : null,
    };
    tx.profileValues.put([user.id, id], row);
    announce(tx, user, { id, ...valueObject(row) });
  }
}

/** Removes values from a user's profile; missing ones are ignored. */
export function remove(
  tx: RealmTransaction,
  by: UserRow,
  { user, fieldIds }: { user: UserRow; fieldIds: readonly number[] },
) {
  for (const id of fieldIds) {
    changeable(tx, id, by);
    removeOne(tx, user, id);
  }
}

export function removeOne(tx: RealmTransaction, user: UserRow, fieldId: number) {
  if (!tx.profileValues.has([user.id, fieldId])) return;
  tx.profileValues.remove([user.id, fieldId]);
  announce(tx, user, { id: fieldId, value: null });
}

type ProfileData = Made<typeof profileData>;
/** Returns the `profile_data` of an account. */
export type ProfileOf = (userId: number) => ProfileData;

/** Reads each profile when it is needed, for few accounts. */
export const oneByOne =
  (tx: Reads): ProfileOf =>
  (userId) =>
    Object.fromEntries(
      Array.from(tx.profileValues.under([userId]), ([[, fieldId], row]) => [
        fieldId,
        valueObject(row),
      ]),
    );

/** The profile of accounts without any value. */
const NO_PROFILE: ProfileData = Object.freeze({});

/**
 * Reads profiles for an unknown number of accounts: one by one, and all at once if there are many.
 */
export function asNeeded(tx: Reads): ProfileOf {
  const one = oneByOne(tx);
  let all: ProfileOf | undefined;
  let lookups = 0;
  return (userId) => {
    lookups += 1;
    if (lookups > LOOKED_UP_MAX) all ??= allAtOnce(tx);
    return (all ?? one)(userId);
  };
}

/** Profiles that are read one by one; for more, reading all profiles takes less time. */
const LOOKED_UP_MAX = 100;

/** Reads all profiles at once, for many accounts. */
export function allAtOnce(tx: Reads): ProfileOf {
  const profiles = new Map<number, Record<string, ReturnType<typeof valueObject>>>();
  for (const [[userId, fieldId], row] of tx.profileValues.range({})) {
    const profile = profiles.get(userId) ?? {};
    profile[fieldId] = valueObject(row);
    profiles.set(userId, profile);
  }
  return (userId) => profiles.get(userId) ?? NO_PROFILE;
}

const valueObject = ({ value, renderedValue }: ProfileValueRow) => ({
  value,
  ...(renderedValue === null ? {} : { rendered_value: renderedValue }),
});

function changeable(tx: Reads, fieldId: number, by: UserRow): ProfileFieldRow {
  const field = tx.profileFields.get([fieldId]);
  if (field === undefined) throw errors.badRequest(`Field id ${fieldId} not found.`);
  if (field.isEditable || isAdministrator(by.role)) return field;
  throw errors.badRequest(
    'You are not allowed to change this field. Contact an administrator to update it.',
  );
}

function acceptable(
  tx: Reads,
  { field, by, allowsInactive }: { field: ProfileFieldRow; by: UserRow; allowsInactive: boolean },
  given: string | readonly number[],
): string {
  const result = acceptableValue(field, given);
  if ('fault' in result) throw errors.badRequest(result.fault);
  if (typeof result.value === 'string') return result.value;
  const ids = [...new Set(result.value)];
  const sees = visibilityTo(tx, by);
  for (const id of ids) {
    const user = tx.users.get([id]);
    if (user === undefined || user.botType !== null || !sees(user)) throw errors.invalidUserId(id);
    if (!user.isActive && !allowsInactive)
      throw errors.badRequest(`User with ID ${id} is deactivated`);
  }
  return JSON.stringify(ids);
}

function announce(
  tx: RealmTransaction,
  user: UserRow,
  field: { id: number; value: string | null; rendered_value?: string },
) {
  tx.emit({
    event: {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, custom_profile_field: field },
    },
    audience: whoSees(tx, user),
  });
}
