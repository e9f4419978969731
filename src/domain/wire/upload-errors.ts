import { ApiError } from './errors.ts';

export const uploadQuotaReached = () =>
  new ApiError('REALM_UPLOAD_QUOTA', "Upload would exceed your organization's upload quota.");

/** Refuses a resumable upload: clients go by the status, which tus 1.0 has a meaning for. */
const uploadRefused = (status: number, msg: string) =>
  new ApiError('RESUMABLE_UPLOAD_REFUSED', msg, { status });

export const uploadElsewhere = (offset: number) =>
  uploadRefused(409, `The upload goes on at ${offset} and not where Upload-Offset says`);
export const uploadExpired = () => uploadRefused(410, 'The upload has expired');
export const uploadWithoutLength = () =>
  uploadRefused(411, 'Upload-Length has to be known from the start');
export const unknownTusVersion = () => uploadRefused(412, 'Tus-Resumable has to be 1.0.0');
export const wrongUploadType = () =>
  uploadRefused(415, 'Content-Type has to be application/offset+octet-stream');
export const uploadLocked = () => uploadRefused(423, 'Another request goes on with this upload');
export const wrongChecksum = () => uploadRefused(460, 'The bytes are not those of Upload-Checksum');
export const uploadTooLarge = (mib: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `Uploaded file is larger than the allowed limit of ${mib} MiB`);
export const uploadTooLong = () =>
  new ApiError('PAYLOAD_TOO_LARGE', 'The body has more bytes than the upload lacks');
export const noSuchUpload = () => new ApiError('NOT_FOUND', 'This upload does not exist.');
export const uploadOfAnother = () =>
  new ApiError('BAD_REQUEST', 'This is an upload of somebody else.', { status: 403 });
