/**
 * Types that browsers show within the page and never run; files of other types are handed out as
 * downloads.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'application/pdf': ['pdf'],
  'audio/aac': ['aac'],
  'audio/flac': ['flac'],
  'audio/mp4': ['m4a'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['oga', 'ogg', 'opus'],
  'audio/wav': ['wav'],
  'audio/webm': ['weba'],
  'image/apng': ['apng'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/gif': ['gif'],
  'image/jpeg': ['jpeg', 'jpg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'video/mp4': ['m4v', 'mp4'],
  'video/ogg': ['ogv'],
  'video/quicktime': ['mov'],
  'video/webm': ['webm'],
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(SHOWN).flatMap(([type, extensions]) =>
    extensions.map((extension) => [extension, type] as const),
  ),
);

/** The type that clients send if they do not know it. */
const UNKNOWN = 'application/octet-stream';

/** Decides the type of a file: the one its client sent, else the one of its extension. */
export function typeOf(claimed: string, name: string): string {
  const [type = ''] = claimed.split(';', 1);
  const plain = type.trim().toLowerCase();
  if (plain !== UNKNOWN && TYPE.test(plain)) return plain;
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return BY_EXTENSION.get(extension) ?? UNKNOWN;
}

/** RFC 6838: the names that a type can have. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

export interface Served {
  readonly contentType: string;
  /** True if the file is shown within the page, false if it is a download. */
  readonly isShown: boolean;
}

/**
 * Decides how a file is handed out: a page, a drawing or a script of a stranger is bytes, whatever
 * it was called.
 */
export const servedAs = (type: string): Served =>
  Object.hasOwn(SHOWN, type)
    ? { contentType: type, isShown: true }
    : { contentType: UNKNOWN, isShown: false };

/** Tests whether thumbnails are made of images of this type. */
export const isImage = (type: string): boolean =>
  type.startsWith('image/') && type !== 'image/bmp' && Object.hasOwn(SHOWN, type);
