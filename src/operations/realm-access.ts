/** What operations are handed, by name, for those who call them. */
export type { Operation, RealmReader, RealmTransaction } from '../../storage/realm-store.ts';
