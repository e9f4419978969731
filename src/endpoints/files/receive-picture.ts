import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import { SMALL_IMAGE_MIB_MAX } from '../../domain/limits.ts';
import { accountOfUser } from '../../operations/authentication.ts';
import type { Caller } from '../../operations/caller.ts';
import type { EmojiPictures } from '../../operations/custom-emoji.ts';
import type { RealmTransaction } from '../../operations/realm-access.ts';
import type { IncomingBody } from '../endpoint.ts';
import { freshPlace, oneOfFew, readUpload, refuseAnnounced } from './read-upload.ts';

type Shape = Parameters<Realm['files']['draw']>[1];
type IncomingFile = Awaited<ReturnType<Realm['files']['receive']>>;

/** What was uploaded, drawn anew and on disk. */
export interface Received {
  readonly pictures: EmojiPictures;
  readonly user: Caller['user'];
  /** What else is in the form, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Keeping<Reply> {
  readonly shape: Shape;
  /** Writes the row of it, and answers. */
  readonly keep: (tx: RealmTransaction, received: Received) => Reply;
}

/**
 * Stores the one picture of a body, drawn anew: its bytes are the server's own, whatever they came in. First the bytes and
 * then the row; whatever is refused leaves nothing.
 */
export async function receivePicture<Reply>(
  realm: Realm,
  { user }: Pick<Caller, 'user'>,
  body: IncomingBody | null,
  { shape, keep }: Keeping<Reply>,
): Promise<Reply> {
  if (body === null) throw errors.badRequest('You must upload exactly one file.');
  refuseAnnounced(body, SMALL_IMAGE_MIB_MAX);
  return await oneOfFew(realm, user.id, async () => {
    const chunks: Buffer[] = [];
    const { fields } = await readUpload(body, {
      mibMax: SMALL_IMAGE_MIB_MAX,
      write: (bytes) => void chunks.push(bytes),
    });
    const drawn = await realm.files.draw(Buffer.concat(chunks), shape);
    if (drawn === undefined) throw errors.badImage();
    const files: IncomingFile[] = [];
    const store = async (bytes: Buffer) => {
      const place = freshPlace();
      const incoming = await realm.files.receive(place);
      files.push(incoming);
      await incoming.write(bytes);
      await incoming.keep();
      return place;
    };
    try {
      const still = await store(drawn.still);
      const moving = drawn.moving === null ? null : await store(drawn.moving);
      const pictures = { still, moving };
      const reply = await realm.perform((tx) =>
        keep(tx, { pictures, user: accountOfUser(tx, user.id), fields }),
      );
      for (const file of files) await file.settle();
      return reply;
    } catch (error) {
      for (const file of files) await file.discard();
      throw error;
    }
  });
}
