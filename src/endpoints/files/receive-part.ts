import { createHash } from 'node:crypto';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { UPLOAD_SAVED_BYTES, UPLOAD_SAVED_MS } from '../../domain/limits/files.ts';
import { type Checksum, metadataOf } from '../../domain/rules/files/tus.ts';
import * as uploadErrors from '../../domain/wire/upload-errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as resumableUploads from '../../operations/files/resumable-uploads.ts';
import type { IncomingBody } from '../endpoint.ts';
import { refuseWithoutSpace } from './read-upload.ts';
import { describe } from './receive-file.ts';

interface Part {
  readonly user: Caller['user'];
  readonly id: string;
  /** The offset from which the client continues. */
  readonly offset: number;
  readonly checksum: Checksum | null;
  readonly body: IncomingBody | null;
}

/**
 * Adds bytes to an upload, and makes a file of it once it is complete. Its row has the offset,
 * which is written after the bytes are on disk: now and then, and when the part ends or breaks off.
 */
export async function receivePart(realm: Realm, part: Part): Promise<void> {
  const { id, user, offset } = part;
  const { offset: known, length } = resumableUploads.own(realm.reader, user, {
    id,
    now: realm.now(),
  });
  const fileName = resumableUploads.fileNameOf(id);
  const file = await realm.files.goOn(fileName, known);
  try {
    if (file.start !== offset) throw uploadErrors.uploadElsewhere(file.start);
    if ((part.body?.bytes ?? 0) > length - offset) throw uploadErrors.uploadTooLong();
    const isWhole = (await write(realm, { part, file, length })) === length;
    if (isWhole) {
      await file.keep();
      await finish(realm, { id, user });
      await file.settle();
    }
  } catch (error) {
    // The upload was removed meanwhile, so its bytes have no other owner.
    if (!resumableUploads.hasBytes(realm.reader, id)) await realm.files.remove(fileName);
    throw error;
  } finally {
    await file.close();
  }
}

interface Writing {
  readonly part: Part;
  readonly file: Awaited<ReturnType<Realm['files']['goOn']>>;
  readonly length: number;
}

/**
 * Writes the part, and returns the next offset. Received bytes are on disk; the offset is committed
 * unless the upload is complete.
 */
async function write(realm: Realm, { part, file, length }: Writing): Promise<number> {
  const { user, id, offset, checksum, body } = part;
  const hash = checksum === null ? null : createHash(checksum.algorithm);
  let at = offset;
  let saved = { at, ms: realm.now() };
  const save = async () => {
    await file.sync();
    if (at === length) return;
    await realm.perform(
      (tx) => resumableUploads.save(tx, accountOfUser(tx, user.id), { id, offset: at }),
      user.id,
    );
    saved = { at, ms: realm.now() };
  };
  const isLongAgo = () =>
    at - saved.at >= UPLOAD_SAVED_BYTES || realm.now() - saved.ms >= UPLOAD_SAVED_MS;
  try {
    for await (const chunk of body ?? []) {
      if (at + chunk.length > length) throw uploadErrors.uploadTooLong();
      refuseWithoutSpace(realm, chunk.length);
      await file.write(chunk);
      hash?.update(chunk);
      at += chunk.length;
      if (hash === null && at < length && isLongAgo()) await save();
    }
  } catch (error) {
    // Bytes that cannot be checked against their checksum do not count.
    if (hash === null && at > saved.at) await save();
    throw error;
  }
  if (hash !== null && !checksum?.digest.equals(hash.digest())) throw uploadErrors.wrongChecksum();
  await save();
  return at;
}

async function finish(realm: Realm, { id, user }: Pick<Part, 'id' | 'user'>) {
  const { metadata } = resumableUploads.own(realm.reader, user, { id, now: realm.now() });
  const said = metadataOf(metadata);
  const file = await describe(realm, resumableUploads.fileNameOf(id), {
    filename: said.get('filename')?.toString('utf8') ?? null,
    contentType: said.get('filetype')?.toString('utf8') ?? '',
  });
  await realm.perform(
    (tx) => resumableUploads.finish(tx, accountOfUser(tx, user.id), { id, file }),
    user.id,
  );
}
