import type { Filling } from '../copying.ts';

/** A place that holds backups: a folder, or a prefix of a bucket. */
export interface Place {
  /** The place as the operator writes it. */
  readonly address: string;
  /** Starts a backup of a data directory. It is complete once it is finished. */
  begin(name: string, data: string): Promise<Writing>;
  /** Returns the names of backups, the oldest first, with those that were not finished. */
  names(): Promise<string[]>;
  /** Tells whether a backup was finished, without reading it. */
  isComplete(name: string): Promise<boolean>;
  /** Returns a backup to be read, which need not be there. */
  at(name: string): Source;
  /** Removes a backup. If this is cut short, the rest of it counts as not finished. */
  remove(name: string): Promise<void>;
}

/** A backup that is being written. */
export interface Writing {
  readonly filling: Filling;
  finish(): Promise<void>;
  /** Removes all that was written. */
  abandon(): Promise<void>;
}

/** A backup that is read. */
export interface Source {
  /** The backup as the operator writes it. */
  readonly address: string;
  /** True if the name says that it was not finished. */
  readonly isUnfinished: boolean;
  /** Reads a file in chunks. Throws an error with the code ENOENT if there is none. */
  chunks(path: string): AsyncIterable<Buffer>;
  /** Returns when it was changed last, if that is known. */
  changedAt(): Promise<string | null>;
}

/** Reads a short file of a backup as a whole. */
export async function textOf(source: Source, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.chunks(path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
