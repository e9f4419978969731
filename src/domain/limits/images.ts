// Bounds of images, each with its reason.

/** The box in pixels that a thumbnail fits into (`server_thumbnail_formats`). */
export const THUMBNAIL_WIDTH = 840;
export const THUMBNAIL_HEIGHT = 560;
/**
 * Pixels of an image that is decoded, of all of its frames: four bytes each, of two images at
 * once.
 */
export const IMAGE_PIXELS_MAX = 50_000_000;
export const IMAGE_FRAMES_MAX = 100;
export const IMAGES_AT_ONCE_MAX = 2;
export const IMAGES_MEASURED_AT_ONCE_MAX = 8;
export const IMAGE_SECONDS_MAX = 30;
/**
 * MiB of an image that is shown everywhere: an emoji, an icon, a logo, an avatar
 * (reference/endpoints.md section 3).
 */
export const SMALL_IMAGE_MIB_MAX = 5;
/**
 * Pixels of a side of a custom emoji, and of an icon of an organization: twice what clients show of
 * them.
 */
export const EMOJI_PIXELS = 64;
export const REALM_ICON_PIXELS = 200;
/** The greatest width and height of a logo in pixels. */
export const REALM_LOGO_WIDTH = 800;
export const REALM_LOGO_HEIGHT = 100;
/** Pixels of a side of an uploaded avatar: in lists, and in a closer view. */
export const AVATAR_PIXELS = 100;
export const MEDIUM_AVATAR_PIXELS = 500;
