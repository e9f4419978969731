import { table } from '../table.ts';

export interface SecretRow {
  readonly value: string;
}

/** What the realm signs with, a row a purpose; made with the realm, told to nobody. */
export const secrets = table<[name: 'external content'], SecretRow>('secrets', ['value']);
