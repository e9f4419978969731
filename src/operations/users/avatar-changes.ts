import { isDeepStrictEqual } from 'node:util';
import type { UploadedAvatar, UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import { avatarUpdate, avatarUrl, withNewAvatar } from '../access/avatars.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import { whoSees } from '../access/user-visibility.ts';
import * as botDefaults from './bot-defaults.ts';

/** Refuses changes of images if they are locked, except by administrators. */
export function refuseLocked(reads: Reads, { role }: Pick<UserRow, 'role'>) {
  if (realmSetting(reads, 'avatar_changes_disabled') && !isAdministrator(role)) {
    throw errors.badRequest('Avatar changes are disabled in this organization.');
  }
}

/**
 * Gives an account an uploaded image, whose bytes are on disk, or with null its original one.
 * Removes the former one, and tells all users who know of the account.
 */
export function set(tx: RealmTransaction, user: UserRow, uploadedAvatar: UploadedAvatar | null) {
  refuseLocked(tx, user);
  const former = user.uploadedAvatar;
  if (isDeepStrictEqual(former, uploadedAvatar)) return { avatar_url: avatarUrl(user) };
  const changed = withNewAvatar({ ...user, uploadedAvatar });
  tx.users.put([user.id], changed);
  for (const content of former === null ? [] : [former.small, former.medium]) {
    outbox.post(tx, { kind: 'removedFile', content });
  }
  const avatar_url = avatarUrl(changed);
  tx.emit({
    event: {
      type: 'realm_user',
      op: 'update',
      person: { user_id: user.id, ...avatarUpdate(changed) },
    },
    audience: whoSees(tx, changed),
  });
  if (user.botType !== null) botDefaults.announceToManagers(tx, changed, () => ({ avatar_url }));
  return { avatar_url };
}
