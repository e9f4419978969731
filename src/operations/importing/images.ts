import type { FileName } from '../../../storage/files/file-store.ts';
import type { UploadedAvatar } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { imageSetting, type RealmImage } from '../../domain/rules/realm/realm-state.ts';
import { badRequest } from '../../domain/wire/errors.ts';
import { withNewAvatar } from '../access/avatars.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as customEmoji from '../files/custom-emoji.ts';
import * as realmImages from '../files/realm-images.ts';
import { idOf, quiet, remember } from './imported-ids.ts';
import { type Entered, type Importing, importer, KEEPS_ITS_OWN } from './people.ts';

/** Gives a placeholder its image, whose bytes are on disk. Others have chosen theirs. */
export function enterAvatar(
  tx: RealmTransaction,
  _of: Importing,
  { userId, ...uploadedAvatar }: UploadedAvatar & { readonly userId: number },
): Entered {
  const user = tx.users.get([userId]);
  if (user === undefined || user.uploadedAvatar !== null) return 'known';
  if (!tx.placeholders.has([userId])) return 'known';
  tx.users.put([userId], withNewAvatar({ ...user, uploadedAvatar }));
  return 'added';
}

export interface ImportedImage {
  readonly image: RealmImage;
  readonly stored: FileName;
}

/** Sets an image of a realm that the import has made, whose bytes are on disk. */
export function enterRealmImage(
  tx: RealmTransaction,
  { source, keepsRoles, site }: Importing,
  { image, stored }: ImportedImage,
): Entered {
  if (!keepsRoles) throw badRequest(KEEPS_ITS_OWN);
  if (isEntered(tx, source, image)) return 'known';
  remember(tx, source, 'choice', { from: IMAGE + image, to: 0 });
  if (realmSetting(tx, imageSetting(image)) !== null) return 'known';
  realmImages.set(quiet(tx), site, { image, stored });
  return 'added';
}

const IMAGE = 'image ';

/** Tells whether an image of the realm came along before; somebody may have removed it since. */
export const isEntered = (tx: Pick<Reads, 'importedIds'>, source: string, image: RealmImage) =>
  idOf(tx, source, 'choice', IMAGE + image) !== undefined;

export interface ImportedEmoji {
  readonly name: string;
  readonly authorId: number | null;
  readonly images: customEmoji.EmojiImages;
}

/** Adds an emoji whose images are on disk. Refuses a name that is taken or cannot be one. */
export function enterEmoji(
  tx: RealmTransaction,
  { source }: Importing,
  { name, authorId, images }: ImportedEmoji,
): Entered {
  if (idOf(tx, source, 'emoji', name) !== undefined) return 'known';
  const author = importer(tx);
  const stored = customEmoji.acceptableName(tx, author, name);
  customEmoji.add(quiet(tx), author, { name, images });
  const row = customEmoji.named(tx, stored);
  if (row === undefined) throw new Error('the emoji was not added');
  if (authorId !== null && tx.users.has([authorId])) customEmoji.store(tx, { ...row, authorId });
  remember(tx, source, 'emoji', { from: name, to: row.id });
  return 'added';
}
