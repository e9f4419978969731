import type { Plugin } from 'vite';

interface Folders {
  readonly root: string;
  /** The folder of the built files. */
  readonly dist: string;
}

/** Leads imports of the server's sources to the files that were built of them. */
export function builtServer(folders: Folders): Plugin;

/** Files that the loader of Node loads as they are. */
export const EXTERNAL: RegExp[];
