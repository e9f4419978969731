import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { SMALL_IMAGE_MIB_MAX } from '../../domain/limits/images.ts';
import * as errors from '../../domain/wire/errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller, RealmTransaction } from '../../operations/access/caller.ts';
import type { EmojiImages } from '../../operations/files/custom-emoji.ts';
import type { IncomingBody } from '../endpoint.ts';
import {
  freshFileName,
  oneOfFew,
  readUpload,
  refuseAnnounced,
  refuseLarge,
} from './read-upload.ts';

type Shape = Parameters<Realm['files']['draw']>[1];
type IncomingFile = Awaited<ReturnType<Realm['files']['receive']>>;

/** An uploaded image, redrawn and on disk in each of the shapes. */
export interface Received<Name extends string> {
  readonly images: Readonly<Record<Name, EmojiImages>>;
  readonly user: Caller['user'];
  /** The other fields of the form, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Keeping<Name extends string, Reply> {
  /** The API's word for the image. */
  readonly what: 'avatar' | 'file' | 'icon' | 'logo';
  readonly shapes: Readonly<Record<Name, Shape>>;
  /** Writes its row, and returns the answer. */
  readonly keep: (tx: RealmTransaction, received: Received<Name>) => Reply;
}

/**
 * Stores the one image of a body. It is redrawn, so that the stored bytes are the server's own.
 * Bytes come first and then the row; a refusal leaves nothing on disk.
 */
export async function receiveImage<Name extends string, Reply>(
  realm: Realm,
  { user }: Pick<Caller, 'user'>,
  body: IncomingBody | null,
  { what, shapes, keep }: Keeping<Name, Reply>,
): Promise<Reply> {
  if (body === null) throw errors.badRequest(`You must upload exactly one ${what}.`);
  refuseAnnounced(body, SMALL_IMAGE_MIB_MAX);
  return await oneOfFew(realm, user.id, async () => {
    const chunks: Buffer[] = [];
    const { fields } = await readUpload(body, {
      mibMax: SMALL_IMAGE_MIB_MAX,
      write: (bytes) => void chunks.push(bytes),
    });
    return await keepDrawn(realm, user, { shapes, keep, bytes: Buffer.concat(chunks), fields });
  });
}

/** Does the same with an image that came along with parameters. */
export async function keepImage<Name extends string, Reply>(
  realm: Realm,
  { user }: Pick<Caller, 'user'>,
  bytes: Buffer,
  keeping: Omit<Keeping<Name, Reply>, 'what'>,
): Promise<Reply> {
  refuseLarge(bytes, SMALL_IMAGE_MIB_MAX);
  return await oneOfFew(realm, user.id, () =>
    keepDrawn(realm, user, { ...keeping, bytes, fields: {} }),
  );
}

interface Drawing<Name extends string, Reply> extends Omit<Keeping<Name, Reply>, 'what'> {
  readonly bytes: Buffer;
  readonly fields: Received<Name>['fields'];
}

async function keepDrawn<Name extends string, Reply>(
  realm: Realm,
  user: Caller['user'],
  { bytes, fields, shapes, keep }: Drawing<Name, Reply>,
): Promise<Reply> {
  const drawn = await drawAll(realm, bytes, shapes);
  const files: IncomingFile[] = [];
  const store = async (bytes: Buffer) => {
    const fileName = freshFileName();
    const incoming = await realm.files.receive(fileName);
    files.push(incoming);
    await incoming.write(bytes);
    await incoming.keep();
    return fileName;
  };
  try {
    const stored: [string, EmojiImages][] = [];
    for (const [name, { still, moving }] of drawn) {
      const images = {
        still: await store(still),
        moving: moving === null ? null : await store(moving),
      };
      stored.push([name, images]);
    }
    // One image of each shape was drawn.
    const images = Object.fromEntries(stored) as Record<Name, EmojiImages>;
    const reply = await realm.perform(
      (tx) => keep(tx, { images, user: accountOfUser(tx, user.id), fields }),
      user.id,
    );
    for (const file of files) await file.settle();
    return reply;
  } catch (error) {
    for (const file of files) await file.discard();
    throw error;
  }
}

/** Draws the shapes one after the other: the server decodes only two images at once in all. */
async function drawAll(realm: Realm, bytes: Buffer, shapes: Readonly<Record<string, Shape>>) {
  const all: [string, NonNullable<Awaited<ReturnType<Realm['files']['draw']>>>][] = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const drawn = await realm.files.draw(bytes, shape);
    if (drawn === undefined) throw errors.badImage();
    all.push([name, drawn]);
  }
  return all;
}
