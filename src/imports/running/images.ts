import type { FileName } from '../../../storage/files/file-store.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import { SMALL_IMAGE_MIB_MAX } from '../../domain/limits/images.ts';
import { AVATAR_SHAPES, EMOJI_SHAPE } from '../../endpoints/files/avatar-shapes.ts';
import { freshFileName } from '../../endpoints/files/read-upload.ts';
import { ICON, LOGO } from '../../endpoints/realm/realm-image-shapes.ts';
import { isEntered } from '../../operations/importing/images.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import type { FileReference, HistoryEmoji, RealmImageChoice } from '../history.ts';
import type { ArchiveSource } from '../sources/archive-source.ts';
import type { Report } from './report.ts';
import type { Ask, StepReply, Target } from './target.ts';

interface Input {
  readonly archive: ArchiveSource;
  readonly target: Target;
  readonly ask: Ask;
  readonly of: { readonly source: string };
  readonly report: Report;
}

/** A person of the source with an image. */
export interface Portrait {
  readonly id: string;
  readonly avatar: FileReference;
}

/** Draws the images of people and custom emoji in this process, and has their rows written. */
export function openImages({ archive, target, ask, of, report }: Input) {
  const { reads, files } = target;
  const store = async (bytes: Buffer, kept: Kept[]): Promise<FileName> => {
    const name = freshFileName();
    const incoming = await files.receive(name);
    kept.push(incoming);
    await incoming.write(bytes);
    await incoming.keep();
    return name;
  };

  const bytesOf = openBytes(archive, report);

  return {
    async avatar({ id, avatar }: Portrait) {
      const userId = idOf(reads, of.source, 'user', id);
      if (userId === undefined || !reads.placeholders.has([userId])) return;
      if (reads.users.get([userId])?.uploadedAvatar !== null) return;
      const bytes = await bytesOf('avatar', id, avatar);
      if (bytes === undefined) return;
      const small = await files.draw(bytes, AVATAR_SHAPES.small);
      const medium = await files.draw(bytes, AVATAR_SHAPES.medium);
      if (small === undefined || medium === undefined) {
        return report.skip({ what: 'avatar', file: avatar.entry, name: id, why: NO_IMAGE });
      }
      const { counts } = await written(
        async (kept) =>
          (await ask('import avatar', {
            ...of,
            userId,
            small: await store(small.still, kept),
            medium: await store(medium.still, kept),
          })) as StepReply,
      );
      report.add('avatars', counts['added'] ?? 0);
    },
    /** Draws an image of the organization, which only a realm that the import has made takes. */
    async ofRealm({ image, file }: RealmImageChoice) {
      if (isEntered(reads, of.source, image)) return;
      const bytes = await bytesOf(image, '', file);
      if (bytes === undefined) return;
      const drawn = await files.draw(bytes, image === 'icon' ? ICON : LOGO);
      const skip = (why: string) => report.skip({ what: image, file: file.entry, why });
      if (drawn === undefined) return skip(NO_IMAGE);
      const { counts, refused } = await written(
        async (kept) =>
          (await ask('import image', {
            ...of,
            image,
            stored: await store(drawn.still, kept),
          })) as StepReply,
      );
      report.add('organization_images', counts['added'] ?? 0);
      for (const { why } of refused) skip(why);
    },
    async emoji({ name, file, author }: HistoryEmoji) {
      if (idOf(reads, of.source, 'emoji', name) !== undefined) return;
      const bytes = await bytesOf('emoji', name, file);
      if (bytes === undefined) return;
      const drawn = await files.draw(bytes, EMOJI_SHAPE);
      const skip = (why: string) => report.skip({ what: 'emoji', file: file.entry, name, why });
      if (drawn === undefined) return skip(NO_IMAGE);
      const { still, moving } = drawn;
      const authorId = author === undefined ? undefined : idOf(reads, of.source, 'user', author);
      const { counts, refused } = await written(
        async (kept) =>
          (await ask('import emoji', {
            ...of,
            name,
            authorId: authorId ?? null,
            images: {
              still: await store(still, kept),
              moving: moving === null ? null : await store(moving, kept),
            },
          })) as StepReply,
      );
      report.add('emoji', counts['added'] ?? 0);
      for (const { why } of refused) skip(why);
    },
  };
}

/** Stores drawn images, and removes them again if their row is not written. */
async function written(send: (kept: Kept[]) => Promise<StepReply>): Promise<StepReply> {
  const kept: Kept[] = [];
  try {
    const reply = await send(kept);
    const isAdded = (reply.counts['added'] ?? 0) > 0;
    for (const file of kept) await (isAdded ? file.settle() : file.discard());
    return reply;
  } catch (error) {
    for (const file of kept) await file.discard();
    throw error;
  }
}

interface Kept {
  settle(): Promise<void>;
  discard(): Promise<void>;
}

const NO_IMAGE = 'Its file is no image that can be drawn.';

/** Returns the bytes of an image; undefined for one that is missing, damaged or too large. */
const openBytes =
  (archive: ArchiveSource, report: Report) =>
  async (what: string, name: string, { entry }: FileReference) => {
    const skip = (why: string) => void report.skip({ what, file: entry, name, why });
    if (!archive.has(entry)) return skip('The archive does not have its image.');
    const bytesMax = SMALL_IMAGE_MIB_MAX * 1024 * 1024;
    if (archive.size(entry) > bytesMax)
      return skip(`It is larger than ${SMALL_IMAGE_MIB_MAX} MiB.`);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of await archive.open(entry)) chunks.push(chunk as Buffer); // no encoding
      return Buffer.concat(chunks);
    } catch (error) {
      if (error instanceof ArchiveError) return skip(error.message);
      throw error;
    }
  };
