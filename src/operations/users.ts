import { createHash, randomBytes } from 'node:crypto';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { ApiKeyRow } from '../../storage/tables/api-keys.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import {
  API_KEYS_PER_USER_MAX,
  EMAIL_LENGTH_MAX,
  FULL_NAME_LENGTH_MAX,
  FULL_NAME_LENGTH_MIN,
} from '../domain/limits.ts';
import { isAdministrator, Role } from '../domain/roles.ts';
import { unprintableIn } from '../domain/topic.ts';
import {
  apiEmail,
  canSeeEmail,
  faultOfFullName,
  isEmailPublic,
  looksLikeEmail,
  userIdOfDummyEmail,
} from '../domain/users.ts';
import { avatarUrl } from './avatars.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';

export interface NewUser {
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly botType?: number;
  readonly botOwnerId?: number;
  /** argon2id in PHC form. */
  readonly passwordHash?: string;
}

/** Adds an account and tells everyone. Refuses a taken or malformed address and an impossible name. */
export function create(tx: RealmTransaction, user: NewUser, place: Place): UserRow {
  const email = user.email.trim();
  const fullName = user.fullName.trim();
  if (!looksLikeEmail(email) || email.length > EMAIL_LENGTH_MAX) {
    throw errors.badRequest('Invalid email address');
  }
  if (tx.userEmails.has([email.toLowerCase()])) {
    throw errors.badRequest(`Email '${email}' already in use`);
  }
  const fault = faultOfFullName(fullName, { min: FULL_NAME_LENGTH_MIN, max: FULL_NAME_LENGTH_MAX });
  if (fault !== undefined) throw errors.badRequest(fault);
  if (unprintableIn(fullName)) throw errors.badRequest('Invalid characters in name!');
  const row: UserRow = {
    id: tx.nextId('user'),
    email,
    fullName,
    role: user.role,
    isActive: true,
    botType: user.botType ?? null,
    botOwnerId: user.botOwnerId ?? null,
    dateJoined: Math.floor(tx.now / 1000),
    timezone: '',
    avatarVersion: 1,
    passwordHash: user.passwordHash ?? null,
    settings: {},
  };
  tx.users.put([row.id], row);
  tx.userEmails.put([email.toLowerCase()], { userId: row.id });
  tx.userNames.put([fullName.toLowerCase(), row.id], {});
  tx.emit({
    event: { type: 'realm_user', op: 'add', person: personAdded(row, place) },
    audience: { everyone: true },
  });
  return row;
}

/** A new API key: 256 random bits, of which only a hash is kept. The oldest key of a login makes room. */
export function issueApiKey(
  tx: RealmTransaction,
  userId: number,
  origin: ApiKeyRow['origin'],
): string {
  const keys = [...tx.apiKeys.under([userId])];
  const logins = keys
    .filter(([, key]) => key.origin === 'login')
    .sort(([, one], [, other]) => one.createdAt - other.createdAt);
  if (keys.length >= API_KEYS_PER_USER_MAX) {
    const oldest = logins[0];
    if (oldest === undefined) throw errors.badRequest('This account has too many API keys');
    tx.apiKeys.remove(oldest[0]);
  }
  const key = randomBytes(32).toString('hex');
  tx.apiKeys.put([userId, hashOfKey(key)], { createdAt: tx.now, origin });
  return key;
}

export const hashOfKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** By real address, without case, or by the address that exists for the API alone. */
export function byEmail(tx: Reads, email: string, place: Place): UserRow | undefined {
  const known = tx.userEmails.get([email.trim().toLowerCase()]);
  const userId = known?.userId ?? userIdOfDummyEmail(email.trim(), place.host);
  return userId === undefined ? undefined : tx.users.get([userId]);
}

interface UserView {
  readonly viewer: UserRow;
  readonly place: Place;
  readonly clientGravatar: boolean;
  readonly withProfile?: boolean;
}

/** A user as `GET /users` and the snapshot give it (specification, "User"). */
export function userObject(
  user: UserRow,
  { viewer, place, clientGravatar, withProfile }: UserView,
) {
  const mayCompute = clientGravatar && canSeeEmail(viewer, user);
  return {
    user_id: user.id,
    email: apiEmail(user, place.host),
    delivery_email: canSeeEmail(viewer, user) ? user.email : null,
    full_name: user.fullName,
    date_joined: `${new Date(user.dateJoined * 1000).toISOString().slice(0, 16)}+00:00`,
    is_active: user.isActive,
    is_owner: user.role === Role.owner,
    is_admin: isAdministrator(user.role),
    is_guest: user.role === Role.guest,
    is_bot: user.botType !== null,
    bot_type: user.botType,
    bot_owner_id: user.botOwnerId,
    role: user.role,
    timezone: user.timezone,
    avatar_url: mayCompute ? null : avatarUrl(user),
    avatar_version: user.avatarVersion,
    ...(withProfile && user.botType === null ? { profile_data: {} } : {}),
  };
}

/** The user object of a `realm_user` add event: the same for all who may see the address. */
function personAdded(user: UserRow, place: Place) {
  const person = userObject(user, {
    viewer: user,
    place,
    clientGravatar: false,
    withProfile: true,
  });
  return { ...person, delivery_email: isEmailPublic(user) ? user.email : null };
}
