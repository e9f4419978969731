import { table } from '../../table.ts';

/** An import of the history of another service, which goes on from here after a kill. */
export interface ImportRow {
  readonly format: string;
  /** UNIX milliseconds. */
  readonly begunAt: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  /** True if the import has made the realm: people have the roles that they had. */
  readonly keepsRoles: boolean;
}

/** By the format and the name of the source: `irc:ubuntu`. */
export const imports = table<[source: string], ImportRow>('imports', [
  'format',
  'begunAt',
  'endedAt',
  'keepsRoles',
]);

export type ImportedKind =
  | 'user'
  | 'group'
  | 'channel'
  | 'emoji'
  | 'message'
  | 'file'
  | 'linkifier'
  | 'playground'
  | 'profile field'
  /** Anything else that was set up: its kind and its id; the id here says nothing. */
  | 'choice';

/**
 * The ids that things of a source have here, written with their rows: an import that is run again
 * adds nothing twice, and nothing that somebody has
 * removed here since. Long ids of the source are hashed.
 */
export const importedIds = table<
  [source: string, kind: ImportedKind, sourceId: string],
  { readonly id: number }
>('imported_ids', ['id']);

/**
 * Accounts that an import made for people who have none: nobody has logged in to them, and the
 * owner of the address may take them over.
 */
export const placeholders = table<[userId: number], Record<never, never>>('placeholders', []);
