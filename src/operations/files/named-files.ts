import type { FileName } from '../../../storage/files/file-store.ts';
import { imageNamed } from '../../domain/rules/files/image-names.ts';
import { IMAGE_SETTINGS } from '../../domain/rules/realm/realm-state.ts';
import { accounts, type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import * as attachments from './attachments.ts';
import * as resumableUploads from './resumable-uploads.ts';

/** Tells which files rows name. */
export interface NamedFiles {
  isNamed(name: FileName, kind: { readonly isPart: boolean }): boolean;
}

/**
 * Reads which public images and exports a realm has; uploads and their thumbnails are looked up one
 * by one, so an answer is about the rows of its moment. A file that is named later than this was
 * opened was stored later as well.
 */
export function openNamedFiles(reads: Reads): NamedFiles {
  const { id: realmId, formerIds } = realms.existing(reads);
  const images = new Set<string>();
  const add = (name: FileName) => images.add(keyOf(name));
  for (const { uploadedAvatar } of accounts(reads)) {
    if (uploadedAvatar === null) continue;
    add(uploadedAvatar.small);
    add(uploadedAvatar.medium);
  }
  const shown: (string | null | undefined)[] = IMAGE_SETTINGS.map((image) =>
    realmSetting(reads, image)?.split('/').at(-1),
  );
  for (const [, row] of reads.realmEmoji.range({})) shown.push(row.fileName, row.stillFileName);
  for (const name of shown) {
    const image = imageNamed(name ?? '');
    if (image !== undefined) add(image.fileName);
  }
  for (const [, { archive }] of reads.exports.range({})) if (archive !== null) add(archive);
  return {
    isNamed(name, { isPart }) {
      const id = `${name.folder}${name.file}`;
      if (isPart) return resumableUploads.hasBytes(reads, id);
      const original = { ...name, file: name.file.replace(THUMBNAIL, '') };
      return (
        images.has(keyOf(name)) ||
        // Links of an imported realm have the id that it had before.
        [realmId, ...formerIds].some((id) => attachments.isOf(reads, id, original)) ||
        resumableUploads.hasBytes(reads, id)
      );
    },
  };
}

const THUMBNAIL = /-\d+x\d+(?:-anim)?$/;

const keyOf = ({ folder, file }: FileName) => `${folder}/${file}`;
