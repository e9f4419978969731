import type { FileName } from '../../../storage/files/file-store.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { imageName, imageNamed } from '../../domain/rules/files/image-names.ts';
import { imageSetting, type RealmImage, shownImage } from '../../domain/rules/realm/realm-state.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import * as realms from '../access/realms.ts';

/** Returns an image of the organization as clients see it. */
export const find = (reads: Reads, { url }: Site, image: RealmImage) =>
  shownImage(image, realmSetting(reads, imageSetting(image)), url);

interface NewImage {
  readonly image: RealmImage;
  /** The name of its bytes, which are on disk; null restores the built-in one. */
  readonly stored: FileName | null;
}

/** Sets an image of the organization, removes the former one, and announces it. */
export function set(tx: RealmTransaction, site: Site, { image, stored }: NewImage) {
  const row = realms.existing(tx);
  const name = imageSetting(image);
  const former = realmSetting(tx, name);
  const uploaded = stored === null ? null : `${folderOf(row.id)}${imageName(image, stored, 'png')}`;
  if (uploaded === former) return;
  tx.realm.put(['realm'], { ...row, settings: { ...row.settings, [name]: uploaded } });
  const replaced = imageNamed(former?.split('/').at(-1) ?? '');
  if (replaced !== undefined) outbox.post(tx, { kind: 'removedFile', content: replaced.fileName });
  const event = {
    type: 'realm',
    op: 'update_dict',
    property: image,
    data: find(tx, site, image),
    // Its two keys are named after the image.
  } as LoggedEvent;
  tx.emit({ event, audience: { everyone: true } });
}

const folderOf = (realmId: number) => `/user_avatars/${realmId}/realm/`;
