import { THUMBNAIL_HEIGHT, THUMBNAIL_WIDTH } from '../domain/limits/images.ts';
import { escapeHtml } from './library.ts';

/** The facts of an uploaded file that a message shows. */
export interface UploadedFile {
  /** The part of its address after `/user_uploads/`, not encoded. */
  readonly pathId: string;
  readonly contentType: string;
  /** Null if it has no thumbnail and never will. */
  readonly image: {
    readonly width: number;
    readonly height: number;
    readonly isAnimated: boolean;
    /** True if its thumbnail is made. */
    readonly isReady: boolean;
  } | null;
}

export const UPLOADS_PATH = '/user_uploads/';

/**
 * Returns the markup that shows a file whose link has these attributes; empty if the type is not
 * shown (reference/endpoints.md 5.7).
 */
export function uploadMarkup(
  file: UploadedFile,
  { href, label, link }: { href: string; label: string; link: string },
): string {
  if (file.image !== null) {
    return `<div class="message_inline_image"><a ${link}>${imageMarkup(file)}</a></div>`;
  }
  const source = `preload="metadata" src="${escapeHtml(href)}"`;
  if (SHOWN_VIDEO.includes(file.contentType)) {
    return `<div class="message_inline_image message_inline_video"><a ${link}><video ${source}></video></a></div>`;
  }
  if (!SHOWN_AUDIO.test(file.contentType)) return '';
  return `<audio controls ${source} title="${escapeHtml(label)}"></audio>`;
}

const SHOWN_VIDEO = ['video/mp4', 'video/webm'];
const SHOWN_AUDIO = /^audio\/(?:aac|flac|mp4|mpeg|ogg|wav|webm)$/;

/** Returns the image with attributes in alphabetical order. */
function imageMarkup({ pathId, contentType, image }: UploadedFile): string {
  if (image === null) return '';
  const size = `data-original-dimensions="${image.width}x${image.height}"`;
  if (!image.isReady) return `<img class="image-loading-placeholder" ${size} src="${LOADER}">`;
  const animated = image.isAnimated ? 'data-animated="true" ' : '';
  const type = `data-original-content-type="${escapeHtml(contentType)}"`;
  const format = `${THUMBNAIL_WIDTH}x${THUMBNAIL_HEIGHT}${image.isAnimated ? '-anim' : ''}.webp`;
  const source = `${UPLOADS_PATH}thumbnail/${encodeURI(pathId)}/${format}`;
  return `<img ${animated}${type} ${size} src="${escapeHtml(source)}">`;
}

const LOADER = '/static/images/loading/loader-black.svg';

/**
 * Matches an image that waits for its thumbnail. Authors cannot forge it: their text is escaped.
 */
const WAITING =
  /<div class="message_inline_image"><a href="([^"]*)"( title="[^"]*")?><img class="image-loading-placeholder" [^>]*><\/a><\/div>\n?/g;

/** Tests quickly whether images may wait for their thumbnails. */
export const isWaiting = (html: string): boolean => html.includes('image-loading-placeholder');

/** Replaces the placeholders of this file by its thumbnail, or removes them if it can have none. */
export const withThumbnail = (html: string, file: UploadedFile): string =>
  html
    .replace(WAITING, (waiting, href: string, title: string | undefined) => {
      if (pathIn(href) !== file.pathId) return waiting;
      const end = waiting.endsWith('\n') ? '\n' : '';
      const link = `href="${href}"${title ?? ''}`;
      if (file.image === null) return '';
      return `<div class="message_inline_image"><a ${link}>${imageMarkup(file)}</a></div>${end}`;
    })
    .replace(/\n$/, '');

/** Returns the file that an address of the realm names; undefined for any other. */
export function pathIn(address: string): string | undefined {
  const start = address.indexOf(UPLOADS_PATH);
  if (start < 0) return undefined;
  const path = address.slice(start + UPLOADS_PATH.length).split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
