import {
  externalIdHash,
  type ScimIdRow,
  type ScimKind,
} from '../../../storage/tables/people/scim.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EXTERNAL_ID_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import { refusal } from '../../domain/scim/scim-errors.ts';
import type { Reads } from '../access/groups.ts';

const NONE: ScimIdRow = { externalId: null, isDeleted: false };

/** Returns the notes of a directory on an account or a group. */
export const notesOn = (reads: Reads, kind: ScimKind, id: number): ScimIdRow =>
  reads.scimIds.get([kind, id]) ?? NONE;

/** Returns the ids of what has an external id, which directories may give more than once. */
export const calledOutside = (reads: Reads, kind: ScimKind, externalId: string): number[] =>
  Array.from(reads.scimOwners.keysUnder([kind, externalIdHash(externalId)]), ([, , id]) => id);

/** Writes notes; those that are undefined stay as they are. */
export function note(
  tx: RealmTransaction,
  { kind, id }: { readonly kind: ScimKind; readonly id: number },
  change: Partial<ScimIdRow>,
) {
  const before = notesOn(tx, kind, id);
  const { externalId = before.externalId, isDeleted = before.isDeleted } = withoutUndefined(change);
  if (externalId === before.externalId && isDeleted === before.isDeleted) return;
  if (externalId !== null && externalId.length > EXTERNAL_ID_LENGTH_MAX) {
    throw refusal('invalidValue', `externalId has at most ${EXTERNAL_ID_LENGTH_MAX} characters.`);
  }
  if (before.externalId !== null) {
    tx.scimOwners.remove([kind, externalIdHash(before.externalId), id]);
  }
  if (externalId !== null) tx.scimOwners.put([kind, externalIdHash(externalId), id], {});
  if (externalId === null && !isDeleted) tx.scimIds.remove([kind, id]);
  else tx.scimIds.put([kind, id], { externalId, isDeleted });
}

const withoutUndefined = (change: Partial<ScimIdRow>): Partial<ScimIdRow> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
