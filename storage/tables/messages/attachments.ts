import { table } from '../../table.ts';

/** An image that messages show. */
export interface UploadedImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
  /** True once its thumbnails exist. */
  readonly isReady: boolean;
}

/**
 * An uploaded file. Its bytes are beside the tables (`file-store.ts`), under `pathId` without realm
 * and name.
 */
export interface AttachmentRow {
  readonly ownerId: number;
  /** `{realm_id}/{2 random}/{random}/{name}`: clients know the file by it. */
  readonly pathId: string;
  /** The name that its owner gave it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The type that its owner's client gave it; the type of a download is decided when it is served
   * (`files/file-types.ts`).
   */
  readonly contentType: string;
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** The time of its removal, unless something links it first; null while something does. */
  readonly unusedUntil: number | null;
  /** Null for a file that is no image, or is an image that cannot be shown small. */
  readonly image: UploadedImage | null;
}

export const attachments = table<[attachmentId: number], AttachmentRow>(
  'attachments',
  ['ownerId', 'pathId', 'name', 'size', 'contentType', 'createdAt', 'unusedUntil', 'image'],
  { defaults: { image: null } },
);

/** Finds a file by the path in a link. */
export const attachmentPaths = table<[pathId: string], { readonly attachmentId: number }>(
  'attachment_paths',
  ['attachmentId'],
);

/** The kind of message that links a file: a sent message or a scheduled one. */
export type AttachmentHolder = 'message' | 'scheduled';

export interface AttachmentUseRow {
  /**
   * When the message was sent, in UNIX seconds. Every list of the file shows it without reading the
   * message.
   */
  readonly sentAt: number;
}

/** File first: tells who may read a file, and whether anything links it. */
export const attachmentUses = table<
  [attachmentId: number, holder: AttachmentHolder, holderId: number],
  AttachmentUseRow
>('attachment_uses', ['sentAt']);

/**
 * The places that link a file: channel or conversation, then when a message came there (a moved one
 * later than it was sent). Permission to read the file is checked once for each place, not for each
 * of its messages.
 */
export const attachmentPlaces = table<
  [attachmentId: number, recipientId: number, arrivedAt: number, messageId: number],
  Record<never, never>
>('attachment_places', []);

/** The same, holder first: an edited or deleted message releases its files. */
export const usedAttachments = table<
  [holder: AttachmentHolder, holderId: number, attachmentId: number],
  Record<never, never>
>('used_attachments', []);

/**
 * Files that nothing links, by the time of their removal (UNIX milliseconds): the table begins with
 * those that are due.
 */
export const unusedAttachments = table<
  [unusedUntil: number, attachmentId: number],
  Record<never, never>
>('unused_attachments', []);

/** The files of each owner, oldest first. */
export const userAttachments = table<[ownerId: number, attachmentId: number], Record<never, never>>(
  'user_attachments',
  [],
);

export interface UploadSpaceRow {
  readonly bytes: number;
  /** Bytes of resumable uploads that were begun and are no files yet. */
  readonly promised: number;
}

/** One row: the size of all files of the realm together. Every event about a file tells it. */
export const uploadSpace = table<[only: 'space'], UploadSpaceRow>(
  'upload_space',
  ['bytes', 'promised'],
  { defaults: { promised: 0 } },
);

/**
 * A file that comes in parts. Its bytes are already in the place of the finished file
 * (`file-store.ts`), so none are moved.
 */
export interface ResumableUploadRow {
  readonly ownerId: number;
  /** The metadata header of its client, as the client sent it. */
  readonly metadata: string;
  /** The size of the whole file in bytes. */
  readonly length: number;
  /**
   * Bytes that are on disk. Bytes of the file behind them do not count: a kill came between writing
   * them and updating this row.
   */
  readonly offset: number;
  /**
   * Unfinished until all bytes are there and the file has a row of its own. An expired upload has
   * no bytes.
   */
  readonly standing: 'unfinished' | 'kept' | 'expired';
  /** The file that it became; null until then. */
  readonly attachmentId: number | null;
  /** When it expires, or is forgotten (UNIX milliseconds). */
  readonly until: number;
}

/** The id is a secret of its owner, and names the place of the bytes. */
export const resumableUploads = table<[uploadId: string], ResumableUploadRow>('resumable_uploads', [
  'ownerId',
  'metadata',
  'length',
  'offset',
  'standing',
  'attachmentId',
  'until',
]);

/** The unfinished uploads of each user, who may have only a few. */
export const unfinishedUploads = table<[userId: number, uploadId: string], Record<never, never>>(
  'unfinished_uploads',
  [],
);

/**
 * Uploads by when they expire or are forgotten (UNIX milliseconds): the table begins with those
 * that are due.
 */
export const resumableUploadTimes = table<[until: number, uploadId: string], Record<never, never>>(
  'resumable_upload_times',
  [],
);
