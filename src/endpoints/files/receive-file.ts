import { randomBytes } from 'node:crypto';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { badRequest } from '../../domain/errors.ts';
import { pathName, shownName } from '../../domain/file-names.ts';
import { isPicture, typeOf } from '../../domain/file-types.ts';
import { UPLOAD_OVERHEAD_BYTES_MAX, UPLOADS_PER_USER_MAX } from '../../domain/limits.ts';
import { openMultipart, type PartHead } from '../../domain/multipart.ts';
import * as attachments from '../../operations/attachments.ts';
import { accountOfUser } from '../../operations/authentication.ts';
import type { Caller } from '../../operations/caller.ts';
import type { IncomingBody } from '../endpoint.ts';

const MIB = 1024 * 1024;

/** Stores the one file of a body, first its bytes and then its row; whatever is refused leaves nothing. */
export async function receiveFile(
  realm: Realm,
  { user, place }: Pick<Caller, 'user' | 'place'>,
  body: IncomingBody,
) {
  const bytesMax = place.maxUploadMib * MIB;
  // What is too large as announced need not be sent: a client that listens stops.
  if ((body.bytes ?? 0) > bytesMax + UPLOAD_OVERHEAD_BYTES_MAX) throw tooLarge(place.maxUploadMib);
  attachments.refuseOverQuota(realm.reader, 0);
  return await oneOfFew(realm, user.id, async () => {
    const random = randomBytes(19);
    const folder = random.toString('hex', 0, 1);
    const file = random.toString('base64url', 1);
    const incoming = await realm.files.receive({ folder, file });
    try {
      const { head, size } = await readFile(body, {
        bytesMax,
        write: incoming.write,
        tooLarge: () => tooLarge(place.maxUploadMib),
      });
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

const tooLarge = (mib: number) =>
  badRequest(`Uploaded file is larger than the allowed limit of ${mib} MiB`);

interface Reading {
  readonly bytesMax: number;
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly tooLarge: () => Error;
}

/** Writes the bytes of the file as they come. Fields that are no files mean nothing; nor does a form's empty file input. */
async function readFile(body: IncomingBody, { bytesMax, write, tooLarge }: Reading) {
  const reader = openMultipart(body.contentType);
  let head: PartHead | undefined;
  let isInFile = false;
  let size = 0;
  let other = 0;
  for await (const chunk of body) {
    other += chunk.length;
    for (const piece of reader.push(chunk)) {
      if ('bytes' in piece) {
        if (!isInFile) continue;
        size += piece.bytes.length;
        other -= piece.bytes.length;
        if (size > bytesMax) throw tooLarge();
        await write(piece.bytes);
      } else {
        isInFile = piece.filename !== null && piece.filename !== '';
        if (isInFile && head !== undefined) {
          throw badRequest('You may only upload one file at a time');
        }
        if (isInFile) head = piece;
      }
    }
    if (other > UPLOAD_OVERHEAD_BYTES_MAX) throw tooLarge();
  }
  reader.end();
  if (head === undefined) throw badRequest('You must specify a file to upload');
  return { head, size };
}

/** Uploads under way, by user. */
const underWay = new WeakMap<Realm, Map<number, number>>();

async function oneOfFew<Reply>(
  realm: Realm,
  userId: number,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const counts = underWay.get(realm) ?? new Map<number, number>();
  underWay.set(realm, counts);
  const count = counts.get(userId) ?? 0;
  if (count >= UPLOADS_PER_USER_MAX) throw badRequest('Too many uploads at once');
  counts.set(userId, count + 1);
  try {
    return await work();
  } finally {
    const left = (counts.get(userId) ?? 1) - 1;
    if (left === 0) counts.delete(userId);
    else counts.set(userId, left);
  }
}
