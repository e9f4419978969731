import { hash } from 'node:crypto';
import { table } from '../../table.ts';
import { keyId } from './keys.ts';

export interface ScimTokenRow {
  /** SHA-256 (hex) of the token, which itself is stored nowhere. */
  readonly hash: string;
  /** UNIX milliseconds. */
  readonly createdAt: number;
}

/** The token with which a directory writes accounts and groups; a realm has one, or none. */
export const scimTokens = table<[name: 'token'], ScimTokenRow>(
  'scim_tokens',
  ['hash', 'createdAt'],
  {
    audited: [
      {
        kind: 'scim_token',
        target: () => 'token',
        values: ({ hash }) => ({ token_id: keyId(hash) }),
      },
    ],
  },
);

export type ScimKind = 'group' | 'user';

export interface ScimIdRow {
  /** The directory's own id (`externalId` of RFC 7643, section 3.1). */
  readonly externalId: string | null;
  /** True after a DELETE: the directory does not see it, unless it is active again. */
  readonly isDeleted: boolean;
  /** The name that a directory finds an account by; null: its mail address. */
  readonly userName: string | null;
  /** Names and addresses as the directory has written them (JSON); null for none. */
  readonly attributes: string | null;
}

/** Notes of a directory on accounts and groups; most have none. */
export const scimIds = table<[kind: ScimKind, id: number], ScimIdRow>(
  'scim_ids',
  ['externalId', 'isDeleted', 'userName', 'attributes'],
  {
    defaults: { userName: null, attributes: null },
    audited: [
      {
        kind: 'identity',
        target: ([kind, id]) => `scim/${kind}/${id}`,
        values: ({ externalId, isDeleted, userName }) => ({
          external_id: externalId,
          is_deleted: isDeleted,
          user_name: userName,
        }),
      },
    ],
  },
);

/** Finds accounts and groups by the SHA-256 (hex) of their external id, or of their user name. */
export const scimOwners = table<[kind: ScimKind | 'user_name', idHash: string, id: number], object>(
  'scim_owners',
  [],
);

/** External ids are of any length, so that keys have their hash. */
export const externalIdHash = (externalId: string): string => hash('sha256', externalId);

/** User names compare without regard to case (RFC 7643, section 4.1.1). */
export const userNameHash = (userName: string): string => hash('sha256', userName.toLowerCase());
