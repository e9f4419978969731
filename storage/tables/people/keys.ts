import type { AddressClass } from '../../../src/domain/wire/address-class.ts';
import type { KeyMaker } from '../../../src/domain/wire/key-makers.ts';
import { table } from '../../table.ts';

export interface ApiKeyRow {
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** Keys from a password login are bounded in number; the oldest makes room for the next. */
  readonly origin: 'issued' | 'login';
  /** Null where a key is older than this column. */
  readonly madeBy: KeyMaker | null;
}

/** SHA-256 (hex) of each API key of a user; the key itself is stored nowhere. */
export const apiKeys = table<[userId: number, keyHash: string], ApiKeyRow>(
  'api_keys',
  ['createdAt', 'origin', 'madeBy'],
  { defaults: { madeBy: null }, decidesLogins: true },
);

/** Whose an API key is, by its hash: a file may be asked for with a key alone. */
export const keyOwners = table<[keyHash: string], { readonly userId: number }>('key_owners', [
  'userId',
]);

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
