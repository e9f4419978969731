import type { FileName } from '../../../storage/files/file-store.ts';
import { SMALL_IMAGE_MIB_MAX } from '../../domain/limits/images.ts';
import { AVATAR_SHAPES, EMOJI_SHAPE } from '../../endpoints/files/avatar-shapes.ts';
import { freshFileName } from '../../endpoints/files/read-upload.ts';
import { idOf } from '../../operations/importing/imported-ids.ts';
import type { FileReference, HistoryEmoji } from '../history.ts';
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

  async function bytesOf(what: string, where: string, { entry }: FileReference) {
    const skip = (why: string) => void report.skip(what, where, why);
    if (!archive.has(entry)) return skip('the archive does not have its image');
    const bytesMax = SMALL_IMAGE_MIB_MAX * 1024 * 1024;
    if (archive.size(entry) > bytesMax) return skip(`larger than ${SMALL_IMAGE_MIB_MAX} MiB`);
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.open(entry)) chunks.push(chunk as Buffer); // no encoding
    return Buffer.concat(chunks);
  }

  return {
    async avatar({ id, avatar }: Portrait) {
      const userId = idOf(reads, of.source, 'user', id);
      if (userId === undefined || !reads.placeholders.has([userId])) return;
      if (reads.users.get([userId])?.uploadedAvatar !== null) return;
      const bytes = await bytesOf('avatar', id, avatar);
      if (bytes === undefined) return;
      const small = await files.draw(bytes, AVATAR_SHAPES.small);
      const medium = await files.draw(bytes, AVATAR_SHAPES.medium);
      if (small === undefined || medium === undefined) return report.skip('avatar', id, NO_IMAGE);
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
    async emoji({ name, file, author }: HistoryEmoji) {
      if (idOf(reads, of.source, 'emoji', name) !== undefined) return;
      const bytes = await bytesOf('emoji', name, file);
      if (bytes === undefined) return;
      const drawn = await files.draw(bytes, EMOJI_SHAPE);
      if (drawn === undefined) return report.skip('emoji', name, NO_IMAGE);
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
      for (const { why } of refused) report.skip('emoji', name, why);
    },
  };
}

interface Kept {
  settle(): Promise<void>;
  discard(): Promise<void>;
}

const NO_IMAGE = 'its file is no image that can be drawn';
