import { type Presence, watchedObjects } from '../objects/heard-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { S3Settings } from '../objects/s3-client.ts';
import { openS3Objects } from '../objects/s3-objects.ts';
import { type FileStore, openFileStore } from './file-store.ts';
import { openObjectFileStore } from './object-file-store.ts';

/** Opens the files of a realm; `folder` is that of its files in the data directory. */
export type OpenFiles = (folder: string, realmId: number) => FileStore;

export interface FileSettings {
  /** The `s3://bucket/prefix` that files are kept in; null: they are in the data directory. */
  readonly files: string | null;
  readonly s3: S3Settings;
}

/** Opens the objects that files are kept in; undefined where they are in the data directory. */
export function objectsIn(
  { files, s3 }: FileSettings,
  onChange?: (now: Presence) => void,
): ObjectStore | undefined {
  if (files === null) return undefined;
  const objects = openS3Objects(files, s3);
  return onChange === undefined ? objects : watchedObjects(objects, onChange);
}

/** Returns how the files of realms are opened. All of them share the connections to the store. */
export const filesIn = (settings: FileSettings, onChange?: (now: Presence) => void): OpenFiles =>
  filesOver(objectsIn(settings, onChange));

/** Returns how files are opened that are in a store of objects; undefined: in their folders. */
export function filesOver(objects: ObjectStore | undefined): OpenFiles {
  if (objects === undefined) return openFileStore;
  return (folder, realmId) => openObjectFileStore({ objects, folder, realmId });
}
