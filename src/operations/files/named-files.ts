import type { FileName } from '../../../storage/files/file-store.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmEmojiRow } from '../../../storage/tables/realm/emoji.ts';
import type { ExportRow } from '../../../storage/tables/realm/exports.ts';
import type { RealmRow } from '../../../storage/tables/realm/realm.ts';
import { imageNamed } from '../../domain/rules/files/image-names.ts';
import { IMAGE_SETTINGS } from '../../domain/rules/realm/realm-state.ts';
import { accounts, type Reads } from '../access/groups.ts';
import * as realms from '../access/realms.ts';
import * as attachments from './attachments.ts';
import * as resumableUploads from './resumable-uploads.ts';

/** Tells which files rows name. */
export interface NamedFiles {
  isNamed(name: FileName, kind: { readonly isPart: boolean }): boolean;
}

/** Returns the public images and exports that a row names, by its table. */
export const NAMED_BY = {
  users: ({ uploadedAvatar }: UserRow): readonly FileName[] =>
    uploadedAvatar === null ? [] : [uploadedAvatar.small, uploadedAvatar.medium],
  realmEmoji: ({ fileName, stillFileName }: RealmEmojiRow) => imagesOf([fileName, stillFileName]),
  realm: ({ settings }: RealmRow) =>
    imagesOf(IMAGE_SETTINGS.map((image) => settings[image]?.split('/').at(-1))),
  exports: ({ archive }: ExportRow): readonly FileName[] => (archive === null ? [] : [archive]),
};

const imagesOf = (names: readonly (string | null | undefined)[]): readonly FileName[] =>
  names.flatMap((name) => imageNamed(name ?? '')?.fileName ?? []);

/**
 * Reads which public images and exports a realm has; uploads and their thumbnails are looked up one
 * by one, so an answer is about the rows of its moment. A file that is named later than this was
 * opened was stored later as well.
 */
export function openNamedFiles(reads: Reads): NamedFiles {
  const { id: realmId, formerIds } = realms.existing(reads);
  const images = new Set<string>();
  const add = (names: readonly FileName[]) => {
    for (const name of names) images.add(keyOf(name));
  };
  for (const user of accounts(reads)) add(NAMED_BY.users(user));
  for (const [, emoji] of reads.realmEmoji.range({})) add(NAMED_BY.realmEmoji(emoji));
  for (const [, realm] of reads.realm.range({})) add(NAMED_BY.realm(realm));
  for (const [, kept] of reads.exports.range({})) add(NAMED_BY.exports(kept));
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
