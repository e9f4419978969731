import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';
import { ATTACHMENTS_PER_MESSAGE_MAX } from '../../domain/limits.ts';
import type { LinkPreviews, PageCard } from '../../markdown/directory.ts';
import type { UploadedFile } from '../../markdown/uploads.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { isReadable } from './attachment-access.ts';
import * as attachments from './attachments.ts';

/** What a path of this server that stands for a URL of another site begins with; signature and URL follow, in hex. */
export const EXTERNAL_CONTENT_PATH = '/external_content/';

/** How the realm wants links in messages shown; null where it is by no more than themselves. */
export function previewsOf(
  tx: Reads,
  author: UserRow,
  { settings, cards }: { settings: ServerSettings; cards: ReadonlyMap<string, PageCard> },
): LinkPreviews | null {
  if (!settings.showsPreviews) return null;
  const showsMedia = realmSetting(tx, 'inline_image_preview');
  const showsPages = realmSetting(tx, 'inline_url_embed_preview');
  if (!showsMedia && !showsPages) return null;
  return {
    proxied: (url) => proxied(tx, url),
    showsMedia,
    showsPages,
    page: (url) => cards.get(url),
    upload: uploadsOf(tx, author),
  };
}

/** The files that the author may read, each looked up once; of very many in one message the first. */
function uploadsOf(tx: Reads, author: UserRow): LinkPreviews['upload'] {
  const known = new Map<string, UploadedFile | undefined>();
  return (pathId) => {
    // What the service quotes opens nothing.
    if (author.isSystem) return undefined;
    if (known.has(pathId) || known.size >= ATTACHMENTS_PER_MESSAGE_MAX) return known.get(pathId);
    const found = attachments.byPath(tx, pathId);
    const isShown = found !== undefined && isReadable(tx, author, found);
    known.set(pathId, isShown ? found.row : undefined);
    return known.get(pathId);
  };
}

/** Readers are shown nothing that their client would have to fetch from somebody who thus learns of them. */
export const proxied = (tx: Reads, url: string): string =>
  `${EXTERNAL_CONTENT_PATH}${signatureOf(tx, url)}/${Buffer.from(url, 'utf8').toString('hex')}`;

/** The URL that such a path stands for; undefined for one that this realm has not made. */
export function urlSigned(
  tx: Reads,
  { signature, hex }: { signature: string; hex: string },
): string | undefined {
  const url = Buffer.from(hex, 'hex').toString('utf8');
  const given = Buffer.from(signature, 'hex');
  const right = Buffer.from(signatureOf(tx, url), 'hex');
  return given.length === right.length && timingSafeEqual(given, right) ? url : undefined;
}

function signatureOf(tx: Reads, url: string): string {
  const secret = tx.secrets.get(['external content']);
  if (secret === undefined) throw new Error('the realm has no secret to sign with');
  return createHmac('sha256', secret.value).update(url, 'utf8').digest('hex');
}
