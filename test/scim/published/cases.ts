import { expect } from 'vitest';
import type { Directory, Told } from '../../support/people/directory.ts';

/** A published case: what a client sends, and what it expects. */
export interface Case {
  /** The page or the program that has the case. */
  readonly source: string;
  readonly title: string;
  run(ask: Directory['ask'], mine: Mine): Promise<void>;
}

/** Names and addresses of one case alone, since all cases share a server. */
export interface Mine {
  readonly name: string;
  readonly email: string;
}

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

export const RFC7644 = 'RFC 7644, section';

export const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

/** Makes the account of a case. */
export async function made(
  ask: Directory['ask'],
  { email }: Mine,
  more: object = {},
): Promise<Told> {
  const told = await ask('POST', '/Users', { schemas: [USER], userName: email, ...more });
  expect(told.status).toBe(201);
  return told;
}

/** Returns the list that a filter finds. */
export const found = async (ask: Directory['ask'], path: string, filter: string) =>
  (await ask('GET', `${path}?filter=${encodeURIComponent(filter)}`)).body;
