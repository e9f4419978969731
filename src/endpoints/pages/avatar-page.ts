import { ANYBODY } from '../../operations/access/spectators.ts';
import * as avatarImages from '../../operations/users/avatar-images.ts';
import { authenticate } from '../authenticate.ts';
import { idOrEmail } from '../users/id-or-email.ts';
import { html } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';

/** Redirects to the image of an account (reference/endpoints.md 2.2: "redirect to the image"). */
export const avatarPage: Page = {
  path: '/avatar/{named}',
  takesText: true,
  async show(visit) {
    const named = visit.values['named'] ?? '';
    // Existing clients derive the address of the larger image in this way.
    const id = /^(\d{1,15})-medium\.png$/.exec(named)?.[1];
    return lead(visit, { named: idOrEmail(id ?? named), isMedium: id !== undefined });
  },
};

export const mediumAvatarPage: Page = {
  path: '/avatar/{named}/medium',
  takesText: true,
  async show(visit) {
    return lead(visit, { named: idOrEmail(visit.values['named'] ?? ''), isMedium: true });
  },
};

/**
 * Redirects to an image. Images on a web page are requested without credentials, so everybody may;
 * callers with credentials may see more.
 */
function lead(
  { realm, site, query, authorization }: PageVisit,
  avatar: avatarImages.AvatarQuery,
): PageReply {
  const user = authorization === '' ? ANYBODY : authenticate(realm, authorization, site);
  const image = avatarImages.find(realm.reader, { user, site }, avatar);
  if (image === undefined) return NOBODY;
  // Without a version, or with another one, there may be another image at this address tomorrow.
  const isKept = query['v'] === String(image.version);
  return { status: 302, location: image.url, keptSeconds: isKept ? KEPT_SECONDS : 0 };
}

/**
 * A day: a change of the image gives it another version, but a change of the server's settings
 * does not.
 */
const KEPT_SECONDS = 86_400;

const NOBODY: PageReply = {
  status: 404,
  title: 'Not found',
  main: html`<h1>Not found</h1><p>There is nobody of this id or address.</p>`,
};
