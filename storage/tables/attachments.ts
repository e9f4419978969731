import { table } from '../table.ts';

/** A picture that messages show. */
export interface UploadedImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
  /** Whether its thumbnails are there. */
  readonly isReady: boolean;
}

/** An uploaded file; its bytes are beside the tables (`file-store.ts`), under `pathId` without realm and name. */
export interface AttachmentRow {
  readonly ownerId: number;
  /** `{realm_id}/{2 random}/{random}/{name}`: what clients know it by. */
  readonly pathId: string;
  /** As its owner called it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** As its owner's client called it; what it is served as is decided when it is (`domain/file-types.ts`). */
  readonly contentType: string;
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** When it is removed, unless something links it first; null while something does. */
  readonly unusedUntil: number | null;
  /** Null of what is no picture, or none that can be shown small. */
  readonly image: UploadedImage | null;
}

export const attachments = table<[attachmentId: number], AttachmentRow>(
  'attachments',
  ['ownerId', 'pathId', 'name', 'size', 'contentType', 'createdAt', 'unusedUntil', 'image'],
  { image: null },
);
