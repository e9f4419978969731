import type { FileName } from '../../../storage/files/file-store.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { imageName, imageNamed, type NamedImage } from '../../domain/rules/files/image-names.ts';
import { IMAGE_SETTINGS } from '../../domain/rules/realm/realm-state.ts';
import { accounts, type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';

/** The path of public images: web pages and mails show them without credentials. */
export const PUBLIC_ROOT = '/user_avatars/';

/**
 * Returns the image at this path, from the root of the realm; undefined if there is none, or no
 * longer one.
 */
export function at(reads: Reads, path: string): NamedImage | undefined {
  const { realmId, folder = '', name = '' } = PATH.exec(path)?.groups ?? {};
  const image = imageNamed(name);
  if (image === undefined || !isOwn(reads, Number(realmId))) return undefined;
  return IN_FOLDER[folder]?.(reads, { path, name, image }) ? image : undefined;
}

/** Tests for the realm's id or a former one: messages show emoji as they were before an import. */
function isOwn(reads: Reads, realmId: number): boolean {
  const row = reads.realm.get(['realm']);
  return row !== undefined && [row.id, ...row.formerIds].includes(realmId);
}

const PATH =
  /^\/user_avatars\/(?<realmId>\d{1,15})\/(?<folder>realm|emoji\/images|people)\/(?<name>[^/]+)$/;

/** Returns the path of an image that a user uploaded of themselves. */
export const avatarPath = (reads: Reads, userId: number, file: FileName): string =>
  `${PUBLIC_ROOT}${realms.existing(reads).id}/people/${imageName(String(userId), file, 'png')}`;

interface ImageRequest {
  readonly path: string;
  readonly name: string;
  readonly image: NamedImage;
}

/** Tests whether a row refers to such a name. */
const IN_FOLDER: Readonly<Record<string, (reads: Reads, request: ImageRequest) => boolean>> = {
  realm: (reads, { path }) => IMAGE_SETTINGS.some((image) => realmSetting(reads, image) === path),
  'emoji/images': (reads, { image, name }) => {
    const id = idIn(image);
    const row = id === undefined ? undefined : reads.realmEmoji.get([id]);
    return row !== undefined && (row.fileName === name || row.stillFileName === name);
  },
  people: (reads, { image: { label, fileName, type } }) => {
    const id = idIn({ label });
    const user = id === undefined ? undefined : reads.users.get([id]);
    return type === 'png' && avatarFiles(user).some((file) => isSame(file, fileName));
  },
};

const idIn = ({ label }: Pick<NamedImage, 'label'>): number | undefined =>
  /^\d{1,15}$/.test(label) ? Number(label) : undefined;

const avatarFiles = (user: Pick<UserRow, 'uploadedAvatar'> | undefined): FileName[] =>
  user?.uploadedAvatar ? [user.uploadedAvatar.small, user.uploadedAvatar.medium] : [];

const isSame = (one: FileName, other: FileName) =>
  one.folder === other.folder && one.file === other.file;

/** Tests whether these are the bytes of an image. */
export function isOf(reads: Reads, fileName: FileName): boolean {
  const names: (string | null)[] = IMAGE_SETTINGS.map((image) => realmSetting(reads, image));
  for (const [, row] of reads.realmEmoji.range({})) names.push(row.fileName, row.stillFileName);
  if (names.some((name) => name?.includes(`-${fileName.folder}${fileName.file}.`) === true))
    return true;
  for (const user of accounts(reads)) {
    if (avatarFiles(user).some((file) => isSame(file, fileName))) return true;
  }
  return false;
}
