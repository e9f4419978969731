import type { FileReference, SkippedRow } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { idOf, textOf } from '../shared/fields.ts';
import { records, tableRows } from './tables.ts';

/** Finds the bytes of uploads, images of people and emoji in the archive. */
export interface ExportFiles {
  /** Rows of the lists of files that cannot be read. */
  readonly leftOut: readonly SkippedRow[];
  /** Returns the file of an upload, by its path behind `/user_uploads/`. */
  uploadAt(path: string): FileReference;
  avatarOf(userId: string): FileReference | undefined;
  /** Returns the icon or a logo of the organization. */
  realmImage(image: string): FileReference | undefined;
  emojiOf(emoji: { readonly name: string; readonly fileName: string }): FileReference | undefined;
}

/** Reads the lists of files; the paths of uploads in messages are those of the service. */
export async function filesOf(archive: ArchiveSource, folder: string): Promise<ExportFiles> {
  const leftOut: SkippedRow[] = [];
  const names = new Map<string, string>();
  const attachments = `${folder}attachment.json`;
  if (archive.has(attachments)) {
    for await (const found of tableRows(archive, attachments, ['zerver_attachment'])) {
      if ('row' in found) names.set(textOf(found.row['path_id']), textOf(found.row['file_name']));
      else leftOut.push(found.skipped);
    }
  }
  const moved = new Map<string, string>();
  for await (const record of records(archive, `${folder}uploads/records.json`, leftOut)) {
    const [at, path] = [textOf(record['s3_path']), textOf(record['path'])];
    if (at !== '' && path !== '' && at !== path) moved.set(at, path);
  }
  const avatars = await best(archive, `${folder}avatars/`, leftOut, (record) =>
    idOf(record['user_profile_id']),
  );
  const emoji = await best(archive, `${folder}emoji/`, leftOut, (record) =>
    textOf(record['file_name']),
  );
  const ofRealm = await best(
    archive,
    `${folder}realm_icons/`,
    leftOut,
    ({ path, s3_path: at }) =>
      /(?:^|\/)(icon|logo|night_logo)\.(?:original|png)$/.exec(textOf(path) || textOf(at))?.[1] ??
      '',
  );
  return {
    leftOut,
    realmImage(image) {
      const entry = ofRealm.get(image);
      return entry === undefined ? undefined : { entry, name: image };
    },
    uploadAt(given) {
      const path = [given, decoded(given)].find(
        (one) => names.has(one) || archive.has(`${folder}uploads/${moved.get(one) ?? one}`),
      );
      const at = path ?? given;
      const last = at.slice(at.lastIndexOf('/') + 1);
      return {
        entry: `${folder}uploads/${moved.get(at) ?? at}`,
        name: names.get(at) || last || 'file',
      };
    },
    avatarOf(userId) {
      const entry = avatars.get(userId);
      return entry === undefined ? undefined : { entry, name: 'avatar' };
    },
    emojiOf({ name, fileName }) {
      const entry = emoji.get(fileName);
      return entry === undefined ? undefined : { entry, name };
    },
  };
}

/** Returns the largest image of each key: the export has the original, and sizes made of it. */
async function best(
  archive: ArchiveSource,
  folder: string,
  leftOut: SkippedRow[],
  keyOf: (record: Readonly<Record<string, unknown>>) => string,
) {
  const found = new Map<string, string>();
  for await (const record of records(archive, `${folder}records.json`, leftOut)) {
    const [key, path] = [keyOf(record), textOf(record['path']) || textOf(record['s3_path'])];
    const entry = `${folder}${path}`;
    if (key === '' || !archive.has(entry)) continue;
    if (!found.has(key) || path.endsWith('.original')) found.set(key, entry);
  }
  return found;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
