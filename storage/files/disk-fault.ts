import { constants } from 'node:os';

/** Says an error of the operating system in words that an operator can act on. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'the path is too long',
  ENFILE: 'the machine has too many open files',
  ENOENT: 'there is no such file or folder',
  ENOLCK: 'the file system cannot lock files',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOTSUP: 'the file system cannot do that',
  EPERM: 'it is not permitted',
  EROFS: 'the file system is read-only',
  ETXTBSY: 'it is in use',
};

/** Codes of errors whose cause is that there is no room for more bytes. */
const SPACE_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Returns the name of the operating system's error, such as `ENOSPC`; undefined for errors of
 * another origin.
 */
export function diskCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return /^E[A-Z0-9]+$/.test(code) ? code : undefined;
  // LMDB gives only the number.
  const found = Object.entries(constants.errno).find(([, number]) => number === code);
  return found?.[0];
}

export const isOutOfSpace = (error: unknown): boolean => SPACE_CODES.has(diskCode(error) ?? '');

/** Describes an error in one line: what is wrong, by its name, and with which file. */
export function diskFault(error: unknown): string {
  const { message, path } = error as NodeJS.ErrnoException;
  const code = diskCode(error);
  const words = code === undefined ? undefined : WORDS[code];
  if (words === undefined) return String(message ?? error).split('\n', 1)[0] ?? '';
  return `${words} (${[code, path].filter((part) => part !== undefined).join(', ')})`;
}
