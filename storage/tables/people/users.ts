import type { Role } from '../../../src/domain/wire/roles.ts';
import {
  USER_SETTINGS,
  type UserSettings,
} from '../../../src/domain/wire/settings/user-settings.ts';
import { hidden } from '../../audit/declaration.ts';
import type { FileName } from '../../files/file-store.ts';
import { table } from '../../table.ts';

/** Names of the two sizes of an image that a user uploaded of themselves. */
export interface UploadedAvatar {
  readonly small: FileName;
  readonly medium: FileName;
}

export interface UserRow {
  readonly id: number;
  /** The real address; also the API address unless the user hides it. */
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people. */
  readonly botType: number | null;
  readonly botOwnerId: number | null;
  /** UNIX seconds. */
  readonly dateJoined: number;
  readonly timezone: string;
  readonly avatarVersion: number;
  /** argon2id in PHC form; null when no password was set, so that password login fails. */
  readonly passwordHash: string | null;
  /** Only what differs from the defaults. */
  readonly settings: Partial<UserSettings>;
  /**
   * True for one of the service's own accounts, which every realm has. It is not among the accounts
   * of the organization. Its `email` is the local part.
   */
  readonly isSystem: boolean;
  /** Null: the image is found by the address, or made of the id. */
  readonly uploadedAvatar: UploadedAvatar | null;
}

export const users = table<[userId: number], UserRow>(
  'users',
  [
    'id',
    'email',
    'fullName',
    'role',
    'isActive',
    'botType',
    'botOwnerId',
    'dateJoined',
    'timezone',
    'avatarVersion',
    'passwordHash',
    'settings',
    'isSystem',
    'uploadedAvatar',
  ],
  {
    defaults: { isSystem: false, uploadedAvatar: null },
    cache: 'read-mostly',
    feedsViews: true,
    decidesLogins: true,
    audited: [
      {
        kind: 'user',
        target: ([userId]) => userId,
        // How the account's own client looks and sounds is nobody else's business.
        values: (row) => ({
          email: row.email,
          full_name: row.fullName,
          role: row.role,
          is_active: row.isActive,
          bot_type: row.botType,
          bot_owner_id: row.botOwnerId,
          password: hidden(row.passwordHash),
          email_address_visibility:
            row.settings.email_address_visibility ?? USER_SETTINGS.email_address_visibility.default,
          allow_private_data_export:
            row.settings.allow_private_data_export ??
            USER_SETTINGS.allow_private_data_export.default,
        }),
      },
    ],
  },
);

/** Finds a user by the lower-cased real address. */
export const userEmails = table<[email: string], { readonly userId: number }>('user_emails', [
  'userId',
]);

/**
 * Finds users by lower-cased full name, for mentions. Names need not be unique, so the id is part
 * of the key.
 */
export const userNames = table<[fullName: string, userId: number], Record<never, never>>(
  'user_names',
  [],
);

/**
 * Accounts that are not full members yet, whatever their role: they are among the members, but not
 * among the full members. Ordered by when they joined (UNIX seconds), because those who joined
 * first have waited first.
 */
export const waitingMembers = table<[dateJoined: number, userId: number], object>('newcomers', [], {
  feedsViews: true,
});
