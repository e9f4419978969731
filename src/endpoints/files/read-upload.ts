import { randomBytes } from 'node:crypto';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  UPLOAD_FIELD_BYTES_MAX,
  UPLOAD_OVERHEAD_BYTES_MAX,
  UPLOADS_PER_USER_MAX,
} from '../../domain/limits/files.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { IncomingBody, PartHead } from '../endpoint.ts';

const MIB = 1024 * 1024;

/** Names a new file so that nobody can guess it. */
export function freshFileName(): { readonly folder: string; readonly file: string } {
  const random = randomBytes(19);
  return { folder: random.toString('hex', 0, 1), file: random.toString('base64url', 1) };
}

/** Rejects by Content-Length an upload that the disk has no room for. */
export function refuseWithoutSpace({ space }: Realm, bytes: number) {
  if (!space.hasRoomFor(bytes)) throw errors.storageFull();
}

/** Rejects by Content-Length before reading the body: a client that listens stops sending. */
export function refuseAnnounced({ bytes }: IncomingBody, mibMax: number) {
  if ((bytes ?? 0) > mibMax * MIB + UPLOAD_OVERHEAD_BYTES_MAX) throw tooLarge(mibMax);
}

/** Rejects a body that has been read. */
export function refuseLarge({ length }: Buffer, mibMax: number) {
  if (length > mibMax * MIB) throw tooLarge(mibMax);
}

const tooLarge = (mib: number) =>
  errors.badRequest(`Uploaded file is larger than the allowed limit of ${mib} MiB`);

interface Reading {
  readonly mibMax: number;
  readonly write: (bytes: Buffer) => Promise<void> | void;
}

interface Upload {
  /** The head of the part with the file. */
  readonly head: PartHead;
  readonly size: number;
  /** The beginnings of other fields of the form, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Writes the bytes of the file as they come. A form's empty file input counts as no file. */
export async function readUpload(body: IncomingBody, { mibMax, write }: Reading): Promise<Upload> {
  const fields = openFields();
  let head: PartHead | undefined;
  let isInFile = false;
  let size = 0;
  let other = 0;
  for await (const { length, pieces } of body.inPieces()) {
    other += length;
    for (const piece of pieces) {
      if ('bytes' in piece) {
        if (!isInFile) {
          fields.add(piece.bytes);
          continue;
        }
        size += piece.bytes.length;
        other -= piece.bytes.length;
        if (size > mibMax * MIB) throw tooLarge(mibMax);
        await write(piece.bytes);
      } else {
        isInFile = piece.filename !== null && piece.filename !== '';
        if (isInFile && head !== undefined) {
          throw errors.badRequest('You may only upload one file at a time');
        }
        if (isInFile) head = piece;
        fields.begin(piece);
      }
    }
    if (other > UPLOAD_OVERHEAD_BYTES_MAX) throw tooLarge(mibMax);
  }
  if (head === undefined) throw errors.badRequest('You must specify a file to upload');
  return { head, size, fields: fields.all() };
}

/** Collects the beginnings of fields that are not files. */
function openFields() {
  const found = new Map<string, Buffer>();
  let name: string | null = null;
  return {
    begin(part: PartHead) {
      name = part.filename === null ? part.name : null;
      if (name !== null) found.set(name, Buffer.alloc(0));
    },
    add(bytes: Buffer) {
      const before = name === null ? undefined : found.get(name);
      if (name === null || before === undefined) return;
      const room = UPLOAD_FIELD_BYTES_MAX - before.length;
      found.set(name, Buffer.concat([before, bytes.subarray(0, room)]));
    },
    all: () => Object.fromEntries([...found].map(([key, bytes]) => [key, bytes.toString('utf8')])),
  };
}

/** The number of uploads under way of each user. */
const underWay = new WeakMap<Realm, Map<number, number>>();

export async function oneOfFew<Reply>(
  realm: Realm,
  userId: number,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const counts = underWay.get(realm) ?? new Map<number, number>();
  underWay.set(realm, counts);
  const count = counts.get(userId) ?? 0;
  if (count >= UPLOADS_PER_USER_MAX) throw errors.badRequest('Too many uploads at once');
  counts.set(userId, count + 1);
  try {
    return await work();
  } finally {
    const left = (counts.get(userId) ?? 1) - 1;
    if (left === 0) counts.delete(userId);
    else counts.set(userId, left);
  }
}
