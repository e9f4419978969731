import { createHmac, timingSafeEqual } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';
import { ATTACHMENTS_PER_MESSAGE_MAX } from '../../domain/limits/files.ts';
import type { LinkPreviews, PagePreview } from '../../markdown/directory.ts';
import type { UploadedFile } from '../../markdown/uploads.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { isReadable } from './attachment-access.ts';
import * as attachments from './attachments.ts';

/**
 * The beginning of a path of this server that stands for a URL of another site; signature and URL
 * follow, in hex.
 */
export const EXTERNAL_CONTENT_PATH = '/external_content/';

const NONE: ReadonlySet<string> = new Set();

/** Returns how the realm shows links in messages; null if it shows no previews. */
export function previewsOf(
  tx: Reads,
  author: UserRow,
  {
    settings,
    pagePreviews,
    opened = NONE,
  }: {
    settings: ServerSettings;
    pagePreviews: ReadonlyMap<string, PagePreview>;
    /** Files that are shown whether or not the author may read them. */
    opened?: ReadonlySet<string> | undefined;
  },
): LinkPreviews | null {
  if (!settings.showsPreviews) return null;
  const showsMedia = realmSetting(tx, 'inline_image_preview');
  const showsPages = realmSetting(tx, 'inline_url_embed_preview');
  if (!showsMedia && !showsPages) return null;
  return {
    proxied: (url) => proxied(tx, url),
    showsMedia,
    showsPages,
    page: (url) => pagePreviews.get(url),
    upload: uploadsOf(tx, author, opened),
  };
}

/**
 * Returns the files that the author may read, each looked up once, and up to a limit in one
 * message.
 */
function uploadsOf(
  tx: Reads,
  author: UserRow,
  opened: ReadonlySet<string>,
): LinkPreviews['upload'] {
  const known = new Map<string, UploadedFile | undefined>();
  return (pathId) => {
    // Quotes by the service's own bot open no files.
    if (author.isSystem && !opened.has(pathId)) return undefined;
    if (known.has(pathId) || known.size >= ATTACHMENTS_PER_MESSAGE_MAX) return known.get(pathId);
    const found = attachments.byPath(tx, pathId);
    const isShown = found !== undefined && (opened.has(pathId) || isReadable(tx, author, found));
    known.set(pathId, isShown ? found.row : undefined);
    return known.get(pathId);
  };
}

/**
 * Returns a path of this server for a URL, so that readers' clients do not fetch it from another
 * site, which would learn of them.
 */
export const proxied = (tx: Reads, url: string): string =>
  `${EXTERNAL_CONTENT_PATH}${signatureOf(tx, url)}/${Buffer.from(url, 'utf8').toString('hex')}`;

/** Returns the URL of such a path; undefined if this realm has not made it. */
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
