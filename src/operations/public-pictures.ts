import type { FileName } from '../../storage/file-store.ts';
import { type NamedPicture, pictureNamed } from '../domain/picture-names.ts';
import { type Reads, realmSetting } from './groups.ts';

/** Below here are the pictures that anybody may see: a web page or a mail shows them without credentials. */
export const PUBLIC_ROOT = '/user_avatars/';

/** What is at this path, from the root of the realm; undefined when nothing is, or is any more. */
export function at(reads: Reads, path: string): NamedPicture | undefined {
  const { realmId, folder, name = '' } = PATH.exec(path)?.groups ?? {};
  const picture = pictureNamed(name);
  if (picture === undefined || Number(realmId) !== reads.realm.get(['realm'])?.id) return undefined;
  const isThere = folder === 'realm' ? isOfRealm(reads, path) : isOfEmoji(reads, picture, name);
  return isThere ? picture : undefined;
}

const PATH =
  /^\/user_avatars\/(?<realmId>\d{1,15})\/(?<folder>realm|emoji\/images)\/(?<name>[^/]+)$/;

const IMAGES = ['uploaded_icon_url', 'uploaded_logo_url', 'uploaded_night_logo_url'] as const;

const isOfRealm = (reads: Reads, path: string): boolean =>
  IMAGES.some((image) => realmSetting(reads, image) === path);

function isOfEmoji(reads: Reads, { label }: NamedPicture, name: string): boolean {
  const row = /^\d{1,15}$/.test(label) ? reads.realmEmoji.get([Number(label)]) : undefined;
  return row !== undefined && (row.fileName === name || row.stillFileName === name);
}

/** Whether some picture has its bytes there. */
export function isOf(reads: Reads, { folder, file }: FileName): boolean {
  const names: (string | null)[] = IMAGES.map((image) => realmSetting(reads, image));
  for (const [, row] of reads.realmEmoji.range({})) names.push(row.fileName, row.stillFileName);
  return names.some((name) => name?.includes(`-${folder}${file}.`) === true);
}
