import type { FileName } from '../../storage/files/file-store.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { imageNamed } from '../domain/rules/files/image-names.ts';
import { IMAGE_SETTINGS } from '../domain/rules/realm/realm-state.ts';
import * as attachments from '../operations/files/attachments.ts';
import { type Pace, slicesOf } from './pace.ts';
import type { Scope } from './scope.ts';

/** Returns the files that the archived rows of a realm name. */
export async function filesOf(
  reader: RealmReader,
  has: Scope['has'],
  pace: Pace,
): Promise<FileName[]> {
  const files: FileName[] = [];
  for await (const slice of slicesOf(reader.attachments, pace)) {
    for (const [[id], row] of slice) {
      if (!has('attachment', id)) continue;
      const fileName = attachments.fileNameOf(row);
      const small = row.image?.isReady ? attachments.thumbnailFileNames(fileName, row.image) : [];
      files.push(fileName, ...small.map((thumbnail) => thumbnail.fileName));
    }
  }
  for await (const slice of slicesOf(reader.users, pace)) {
    for (const [, { uploadedAvatar }] of slice) {
      if (uploadedAvatar !== null) files.push(uploadedAvatar.small, uploadedAvatar.medium);
    }
  }
  const images: (string | null | undefined)[] = [];
  for (const [, emoji] of reader.realmEmoji.range({})) {
    images.push(emoji.fileName, emoji.stillFileName);
  }
  const settings = reader.realm.get(['realm'])?.settings ?? {};
  images.push(...IMAGE_SETTINGS.map((image) => settings[image]?.split('/').at(-1)));
  for (const name of images) {
    const image = imageNamed(name ?? '');
    if (image !== undefined) files.push(image.fileName);
  }
  return files;
}
