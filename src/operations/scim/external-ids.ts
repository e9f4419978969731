import {
  externalIdHash,
  type ScimIdRow,
  type ScimKind,
  userNameHash,
} from '../../../storage/tables/people/scim.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  EXTERNAL_ID_LENGTH_MAX,
  SCIM_ATTRIBUTES_LENGTH_MAX,
} from '../../domain/limits/accounts.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';
import type { Reads } from '../access/groups.ts';

const NONE: ScimIdRow = { externalId: null, isDeleted: false, userName: null, attributes: null };

/** Returns the notes of a directory on an account or a group. */
export const notesOn = (reads: Reads, kind: ScimKind, id: number): ScimIdRow =>
  reads.scimIds.get([kind, id]) ?? NONE;

/** Returns the ids of what has an external id, which directories may give more than once. */
export const calledOutside = (reads: Reads, kind: ScimKind, externalId: string): number[] =>
  Array.from(reads.scimOwners.keysUnder([kind, externalIdHash(externalId)]), ([, , id]) => id);

/** Returns the accounts of a name that a directory has given, of which one at most is seen. */
export const named = (reads: Reads, userName: string): number[] =>
  Array.from(reads.scimOwners.keysUnder(['user_name', userNameHash(userName)]), ([, , id]) => id);

/** Writes notes; those that are undefined stay as they are. */
export function note(
  tx: RealmTransaction,
  { kind, id }: { readonly kind: ScimKind; readonly id: number },
  change: Partial<ScimIdRow>,
) {
  const before = notesOn(tx, kind, id);
  const after = { ...before, ...withoutUndefined(change) };
  if (COLUMNS.every((column) => before[column] === after[column])) return;
  refuseTooLong(after);
  for (const key of keysOf(kind, id, before)) tx.scimOwners.remove(key);
  for (const key of keysOf(kind, id, after)) tx.scimOwners.put(key, {});
  if (COLUMNS.every((column) => after[column] === NONE[column])) tx.scimIds.remove([kind, id]);
  else tx.scimIds.put([kind, id], after);
}

const COLUMNS = ['externalId', 'isDeleted', 'userName', 'attributes'] as const;

function refuseTooLong({ externalId, userName, attributes }: ScimIdRow) {
  for (const [name, value] of Object.entries({ externalId, userName })) {
    if (value !== null && value.length > EXTERNAL_ID_LENGTH_MAX) {
      throw refusal('invalidValue', `${name} has at most ${EXTERNAL_ID_LENGTH_MAX} characters.`);
    }
  }
  if (attributes !== null && attributes.length > SCIM_ATTRIBUTES_LENGTH_MAX) {
    throw refusal('tooMany', 'The names and addresses of an account are too long together.');
  }
}

type OwnerKey = [kind: ScimKind | 'user_name', idHash: string, id: number];

/** Returns the keys by which notes are found. */
function keysOf(kind: ScimKind, id: number, { externalId, userName }: ScimIdRow): OwnerKey[] {
  const keys: OwnerKey[] = [];
  if (externalId !== null) keys.push([kind, externalIdHash(externalId), id]);
  if (userName !== null) keys.push(['user_name', userNameHash(userName), id]);
  return keys;
}

const withoutUndefined = (change: Partial<ScimIdRow>): Partial<ScimIdRow> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
