import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { pathName, shownName } from '../../domain/file-names.ts';
import { isPicture, typeOf } from '../../domain/file-types.ts';
import * as attachments from '../../operations/attachments.ts';
import { accountOfUser } from '../../operations/authentication.ts';
import type { Caller } from '../../operations/caller.ts';
import type { IncomingBody } from '../endpoint.ts';
import { freshPlace, oneOfFew, readUpload, refuseAnnounced } from './read-upload.ts';

/** Stores the one file of a body, first its bytes and then its row; whatever is refused leaves nothing. */
export async function receiveFile(
  realm: Realm,
  { user, place }: Pick<Caller, 'user' | 'place'>,
  body: IncomingBody,
) {
  const mibMax = place.maxUploadMib;
  refuseAnnounced(body, mibMax);
  attachments.refuseOverQuota(realm.reader, 0);
  return await oneOfFew(realm, user.id, async () => {
    const { folder, file } = freshPlace();
    const incoming = await realm.files.receive({ folder, file });
    try {
      const { head, size } = await readUpload(body, { mibMax, write: incoming.write });
      const name = shownName(head.filename ?? '');
      const pathId = `${realm.id}/${folder}/${file}/${pathName(name)}`;
      const contentType = typeOf(head.contentType, name);
      await incoming.keep();
      const image = await imageIn(realm, { folder, file }, contentType);
      await realm.perform((tx) =>
        attachments.add(tx, accountOfUser(tx, user.id), { pathId, name, size, contentType, image }),
      );
      await incoming.settle();
      const url = `/user_uploads/${pathId}`;
      return { url, uri: url, filename: name };
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  });
}

/** The size of a picture is in messages that show it, before it has been decoded. */
async function imageIn(realm: Realm, at: { folder: string; file: string }, type: string) {
  if (!isPicture(type)) return null;
  const size = await realm.files.measure(at);
  return size === undefined ? null : { ...size, isReady: false };
}
