import type { KeyMaker } from '../../src/domain/key-makers.ts';
import { table } from '../table.ts';

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
  { madeBy: null },
);
