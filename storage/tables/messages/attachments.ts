import { table } from '../../table.ts';

/** An image that messages show. */
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
  /** As its owner's client called it; what it is served as is decided when it is (`files/file-types.ts`). */
  readonly contentType: string;
  /** UNIX milliseconds. */
  readonly createdAt: number;
  /** When it is removed, unless something links it first; null while something does. */
  readonly unusedUntil: number | null;
  /** Null of what is no image, or none that can be shown small. */
  readonly image: UploadedImage | null;
}

export const attachments = table<[attachmentId: number], AttachmentRow>(
  'attachments',
  ['ownerId', 'pathId', 'name', 'size', 'contentType', 'createdAt', 'unusedUntil', 'image'],
  { defaults: { image: null } },
);

/** By what a link names it. */
export const attachmentPaths = table<[pathId: string], { readonly attachmentId: number }>(
  'attachment_paths',
  ['attachmentId'],
);

/** What links a file: a message that was sent, or one that is to be. */
export type AttachmentHolder = 'message' | 'scheduled';

export interface AttachmentUseRow {
  /** When the message was sent, UNIX seconds: it is in every list of the file, which need not read the message. */
  readonly sentAt: number;
}

/** File first: who may read it, and whether anything links it. */
export const attachmentUses = table<
  [attachmentId: number, holder: AttachmentHolder, holderId: number],
  AttachmentUseRow
>('attachment_uses', ['sentAt']);

/**
 * Where messages link a file: channel or conversation, then when a message came there (a moved one later than it was sent).
 * Who may read the file is asked once for each place, not for each of its messages.
 */
export const attachmentPlaces = table<
  [attachmentId: number, recipientId: number, arrivedAt: number, messageId: number],
  Record<never, never>
>('attachment_places', []);

/** The same, holder first: what a message lets go when it is edited or deleted. */
export const usedAttachments = table<
  [holder: AttachmentHolder, holderId: number, attachmentId: number],
  Record<never, never>
>('used_attachments', []);

/** Files that nothing links, by when they are removed (UNIX milliseconds): what is due begins the table. */
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
  /** Bytes that resumable uploads were begun for and that are no files yet. */
  readonly promised: number;
}

/** One row: what all files of the realm take together, which every event about one of them tells. */
export const uploadSpace = table<[only: 'space'], UploadSpaceRow>(
  'upload_space',
  ['bytes', 'promised'],
  { defaults: { promised: 0 } },
);

/** A file that comes in parts; its bytes are where those of the file will be (`file-store.ts`), so none is moved. */
export interface ResumableUploadRow {
  readonly ownerId: number;
  /** What its client said of it, as the header that it said it with. */
  readonly metadata: string;
  /** Bytes of the whole. */
  readonly length: number;
  /** Bytes that are on disk. What the file has behind them is nothing: a kill was between it and its row. */
  readonly offset: number;
  /** Unfinished until all bytes are there and the file has a row of its own; what has expired has no bytes. */
  readonly standing: 'unfinished' | 'kept' | 'expired';
  /** What it became; null until then. */
  readonly attachmentId: number | null;
  /** When it expires, or is forgotten (UNIX milliseconds). */
  readonly until: number;
}

/** The id is a secret of its owner, and the place of the bytes. */
export const resumableUploads = table<[uploadId: string], ResumableUploadRow>('resumable_uploads', [
  'ownerId',
  'metadata',
  'length',
  'offset',
  'standing',
  'attachmentId',
  'until',
]);

/** Those that each user has not finished, of which there may be few. */
export const unfinishedUploads = table<[userId: number, uploadId: string], Record<never, never>>(
  'unfinished_uploads',
  [],
);

/** By when they expire or are forgotten (UNIX milliseconds): what is due begins the table. */
export const resumableUploadTimes = table<[until: number, uploadId: string], Record<never, never>>(
  'resumable_upload_times',
  [],
);
