// Bounds of content of other sites in messages, each with its reason.

/**
 * Distinct links of a message that get previews; if there are more, none is shown
 * (reference/endpoints.md 5.7).
 */
export const PREVIEWS_PER_MESSAGE_MAX = 24;
/** Characters of a URL that is previewed: its proxied address has twice as many. */
export const PREVIEW_URL_LENGTH_MAX = 2_048;
/** Redirects that are followed to other places of the web. */
export const REDIRECTS_MAX = 5;
/** A connection to another site on which nothing has come for this long is given up. */
export const SITE_SILENT_MS_MAX = 20_000;
/**
 * Images and videos of other sites that are handed out at once: each holds two connections for as
 * long as it takes, and some 100 KiB on the way.
 */
export const EXTERNAL_CONTENTS_AT_ONCE_MAX = 200;
/**
 * Contents of one site that are handed out at once: a slow site, on purpose or not, leaves room for
 * the others.
 */
export const EXTERNAL_CONTENTS_PER_SITE_MAX = 100;
export const EXTERNAL_CONTENT_MS_MAX = 300_000;
/** Bytes of an image as cameras make them, and of a video of some minutes. */
export const EXTERNAL_IMAGE_BYTES_MAX = 25 * 1024 * 1024;
export const EXTERNAL_VIDEO_BYTES_MAX = 250 * 1024 * 1024;
/** How long clients cache external content: the URL says nothing of when it changes. */
export const EXTERNAL_CONTENT_SECONDS_KEPT = 86_400;
/**
 * Bytes read of a page (its description of itself is at its beginning), and milliseconds for it.
 */
export const PAGE_BYTES_MAX = 512 * 1024;
export const PAGE_MS_MAX = 10_000;
/**
 * Pages of one message that are fetched at once, so that all of them take less than the lease of an
 * outbox entry.
 */
export const PAGES_AT_ONCE_MAX = 6;
/** How long the result of fetching a page is cached, and for how many pages. */
export const PAGES_KEPT_MS = 3_600_000;
export const PAGES_KEPT_MAX = 2_000;
/** Characters of the title and the description that a page gives of itself. */
export const PAGE_TITLE_LENGTH_MAX = 200;
export const PAGE_DESCRIPTION_LENGTH_MAX = 500;
