import { createHash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { EMAIL_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import { gravatarImage } from '../../domain/rules/people/gravatar.ts';
import { canSeeEmail } from '../../domain/rules/people/users.ts';
import { SYSTEM_BOT_IMAGE } from '../access/avatars.ts';
import type { Reads } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import * as userAccess from '../access/user-access.ts';
import * as publicImages from '../files/public-images.ts';

export interface AvatarQuery {
  /** An id, or an address that the viewer may know. */
  readonly named: number | string;
  readonly isMedium: boolean;
}

export interface AvatarImage {
  /** Absolute, or from the root of the realm. */
  readonly url: string;
  /** The version of the image; an address with this version can be cached. */
  readonly version: number;
}

/**
 * Returns the URL of an account's image for this viewer; undefined if they may not know of the
 * account. Only viewers who may see the real address are redirected to where the image is found
 * by its hash (docs/decisions/0063); an uploaded one is public.
 */
export function find(
  reads: Reads,
  viewer: userAccess.Viewer,
  { named, isMedium }: AvatarQuery,
): AvatarImage | undefined {
  if (typeof named === 'string' && named.length > EMAIL_LENGTH_MAX) return undefined;
  const user = userAccess.named(reads, viewer, named);
  if (user === undefined) return undefined;
  return { url: imageOf(reads, viewer, { user, isMedium }), version: user.avatarVersion };
}

function imageOf(
  reads: Reads,
  { user: viewer, site }: userAccess.Viewer,
  { user, isMedium }: { readonly user: UserRow; readonly isMedium: boolean },
): string {
  const { email, avatarVersion: version, uploadedAvatar } = user;
  if (user.isSystem) return `${SYSTEM_BOT_IMAGE}?v=${version}`;
  if (uploadedAvatar !== null) {
    const file = isMedium ? uploadedAvatar.medium : uploadedAvatar.small;
    return publicImages.avatarPath(reads, user.id, file);
  }
  if (site.settings.gravatarUrl !== null && canSeeEmail(viewer, user)) {
    return gravatarImage(site.settings.gravatarUrl, { email, version, isMedium });
  }
  return `/static/avatars/${seedOf(reads, user)}${isMedium ? '-medium' : ''}.png`;
}

/**
 * Derives the seed from the id, so that it is constant for the account, and differs between
 * organizations.
 */
function seedOf(reads: Reads, { id }: UserRow): string {
  const realm = realms.existing(reads);
  const text = `avatar ${realm.id} ${realm.dateCreated} ${id}`;
  return createHash('sha256').update(text).digest('hex').slice(0, SEED_LENGTH);
}

/** The length that `identicons.ts` requires. */
const SEED_LENGTH = 16;
