import { FILE_EXTENSION_LENGTH_MAX, FILE_NAME_LENGTH_MAX } from '../../limits/files.ts';

/** The name given to a file without a usable one. */
const NAMELESS = 'uploaded-file';

/**
 * Cleans a file's name as its owner's client gave it, for people to read. It removes folders,
 * invisible characters, and marks that change the direction of the text, behind which an extension
 * can hide.
 */
export function shownName(given: string): string {
  const base = given.split(/[/\\]/).at(-1) ?? '';
  const visible = base.replace(/[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu, '');
  return usable(shortened(visible.trim()));
}

/**
 * Returns the name as the end of a path: letters, digits, `.`, `_` and `-` have no meaning in links
 * and folders.
 */
export function pathName(shown: string): string {
  const plain = shown
    .normalize('NFKC')
    .replace(/\s+/gu, '-')
    .replace(/[^\p{L}\p{M}\p{N}._-]/gu, '');
  return usable(shortened(plain));
}

const usable = (name: string) => (/^\.*$/.test(name) ? NAMELESS : name);

/** Cuts a long name, but keeps its extension. */
function shortened(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= FILE_NAME_LENGTH_MAX) return name;
  const dot = characters.lastIndexOf('.');
  const isExtension = dot > 0 && characters.length - dot <= FILE_EXTENSION_LENGTH_MAX;
  const extension = isExtension ? characters.slice(dot) : [];
  return [...characters.slice(0, FILE_NAME_LENGTH_MAX - extension.length), ...extension].join('');
}
