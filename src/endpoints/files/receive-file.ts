import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { pathName, shownName } from '../../domain/rules/files/file-names.ts';
import { isImage, typeOf } from '../../domain/rules/files/file-types.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as attachments from '../../operations/files/attachments.ts';
import type { IncomingBody } from '../endpoint.ts';
import {
  freshFileName,
  oneOfFew,
  readUpload,
  refuseAnnounced,
  refuseWithoutSpace,
} from './read-upload.ts';

type FileName = ReturnType<typeof freshFileName>;

/**
 * Stores the one file of a body, first its bytes and then its row; a refusal leaves nothing on
 * disk.
 */
export async function receiveFile(
  realm: Realm,
  { user, site }: Pick<Caller, 'user' | 'site'>,
  body: IncomingBody,
) {
  const mibMax = site.settings.maxUploadMib;
  refuseAnnounced(body, mibMax);
  refuseWithoutSpace(realm, body.bytes ?? 0);
  attachments.refuseOverQuota(realm.reader, 0);
  return await oneOfFew(realm, user.id, async () => {
    const { folder, file } = freshFileName();
    const incoming = await realm.files.receive({ folder, file });
    try {
      const { head, size } = await readUpload(body, {
        mibMax,
        write(bytes) {
          refuseWithoutSpace(realm, bytes.length);
          return incoming.write(bytes);
        },
      });
      await incoming.keep();
      const { filename = '', contentType } = head;
      const stored = await describe(realm, { folder, file }, { filename, contentType });
      await realm.perform(
        (tx) => attachments.add(tx, accountOfUser(tx, user.id), { ...stored, size }),
        user.id,
      );
      await incoming.settle();
      const url = urlOf(stored);
      return { url, uri: url, filename: stored.name };
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  });
}

/** Returns the URL by which messages link a file. */
export const urlOf = ({ pathId }: { readonly pathId: string }): string => `/user_uploads/${pathId}`;

interface Claimed {
  readonly filename: string | null;
  readonly contentType: string;
}

/**
 * Returns the row of a file whose bytes are stored, from the client's description and from its
 * content.
 */
export async function describe(realm: Realm, at: FileName, { filename, contentType }: Claimed) {
  const name = shownName(filename ?? '');
  const type = typeOf(contentType, name);
  return {
    pathId: `${realm.id}/${at.folder}/${at.file}/${pathName(name)}`,
    name,
    contentType: type,
    image: await imageIn(realm, at, type),
  };
}

/** Measures an image: messages that show it contain its size, before it has been decoded. */
async function imageIn(realm: Realm, at: FileName, type: string) {
  if (!isImage(type)) return null;
  const size = await realm.files.measure(at);
  return size === undefined ? null : { ...size, isReady: false };
}
