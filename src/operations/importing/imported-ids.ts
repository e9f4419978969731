import { createHash } from 'node:crypto';
import type { ImportedKind } from '../../../storage/tables/realm/imports.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { IMPORTED_ID_LENGTH_MAX } from '../../domain/limits/archives.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Returns the id of a source as keys have it: LMDB bounds their length. A second time changes
 * nothing.
 */
export const keyed = (id: string): string =>
  id.length <= IMPORTED_ID_LENGTH_MAX ? id : `#${createHash('sha256').update(id).digest('hex')}`;

/** Returns the id that a thing of the source has here. */
export const idOf = (
  tx: Pick<Reads, 'importedIds'>,
  source: string,
  kind: ImportedKind,
  id: string,
): number | undefined => tx.importedIds.get([source, kind, keyed(id)])?.id;

export const remember = (
  tx: RealmTransaction,
  source: string,
  kind: ImportedKind,
  { from, to }: { readonly from: string; readonly to: number },
) => tx.importedIds.put([source, kind, keyed(from)], { id: to });

/**
 * Returns a transaction whose operations announce nothing. Clients register again when an import
 * has added people and channels (docs/decisions/0263).
 */
export function quiet(tx: RealmTransaction): RealmTransaction {
  const known = quietOf.get(tx);
  if (known !== undefined) return known;
  // Everything else is that of the transaction itself.
  const made = Object.create(tx, { emit: { value: () => tx.head() } }) as RealmTransaction;
  quietOf.set(tx, made);
  return made;
}

/** A store hands the same object to all of its operations. */
const quietOf = new WeakMap<RealmTransaction, RealmTransaction>();
