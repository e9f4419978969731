import type { FileName } from '../../../storage/files/file-store.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import {
  type NamedPicture,
  pictureName,
  pictureNamed,
} from '../../domain/rules/files/picture-names.ts';
import { IMAGE_SETTINGS } from '../../domain/rules/realm/realm-state.ts';
import { accounts, type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';

/** Below here are the pictures that anybody may see: a web page or a mail shows them without credentials. */
export const PUBLIC_ROOT = '/user_avatars/';

/** What is at this path, from the root of the realm; undefined when nothing is, or is any more. */
export function at(reads: Reads, path: string): NamedPicture | undefined {
  const { realmId, folder = '', name = '' } = PATH.exec(path)?.groups ?? {};
  const picture = pictureNamed(name);
  if (picture === undefined || !isOwn(reads, Number(realmId))) return undefined;
  return IN_FOLDER[folder]?.(reads, { path, name, picture }) ? picture : undefined;
}

/** Messages show emoji as they were when the realm was elsewhere. */
function isOwn(reads: Reads, realmId: number): boolean {
  const row = reads.realm.get(['realm']);
  return row !== undefined && [row.id, ...row.formerIds].includes(realmId);
}

const PATH =
  /^\/user_avatars\/(?<realmId>\d{1,15})\/(?<folder>realm|emoji\/images|people)\/(?<name>[^/]+)$/;

/** Where clients are led to a picture that somebody uploaded of themselves. */
export const avatarPath = (reads: Reads, userId: number, file: FileName): string =>
  `${PUBLIC_ROOT}${realms.existing(reads).id}/people/${pictureName(String(userId), file, 'png')}`;

interface Asked {
  readonly path: string;
  readonly name: string;
  readonly picture: NamedPicture;
}

/** Whether such a name stands in a row. */
const IN_FOLDER: Readonly<Record<string, (reads: Reads, asked: Asked) => boolean>> = {
  realm: (reads, { path }) => IMAGE_SETTINGS.some((image) => realmSetting(reads, image) === path),
  'emoji/images': (reads, { picture, name }) => {
    const id = idIn(picture);
    const row = id === undefined ? undefined : reads.realmEmoji.get([id]);
    return row !== undefined && (row.fileName === name || row.stillFileName === name);
  },
  people: (reads, { picture: { label, fileName, type } }) => {
    const id = idIn({ label });
    const user = id === undefined ? undefined : reads.users.get([id]);
    return type === 'png' && avatarFiles(user).some((file) => isSame(file, fileName));
  },
};

const idIn = ({ label }: Pick<NamedPicture, 'label'>): number | undefined =>
  /^\d{1,15}$/.test(label) ? Number(label) : undefined;

const avatarFiles = (user: Pick<UserRow, 'uploadedAvatar'> | undefined): FileName[] =>
  user?.uploadedAvatar ? [user.uploadedAvatar.small, user.uploadedAvatar.medium] : [];

const isSame = (one: FileName, other: FileName) =>
  one.folder === other.folder && one.file === other.file;

/** Whether some picture has its bytes there. */
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
