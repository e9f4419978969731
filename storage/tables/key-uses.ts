import type { AddressClass } from '../../src/domain/address-class.ts';
import { table } from '../table.ts';

export interface KeyUseRow {
  /** UNIX seconds; noted once an hour. */
  readonly usedAt: number;
  /** As it calls itself; null where nothing but its listening is known. */
  readonly client: string | null;
  readonly addressClass: AddressClass | null;
}

/** The last use of an API key, apart from the key: writing it says nothing about who may log in. */
export const keyUses = table<[userId: number, keyHash: string], KeyUseRow>('key_uses', [
  'usedAt',
  'client',
  'addressClass',
]);
