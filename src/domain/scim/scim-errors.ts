import { ApiError } from '../wire/errors.ts';

/** The kinds of refusals that a client can tell apart (RFC 7644, section 3.12, table 9). */
export type ScimType =
  | 'invalidCursor'
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** A refusal with its `scimType`; 409 for what is taken, 400 for all others. */
export const refusal = (scimType: ScimType, detail: string): ApiError =>
  new ApiError('BAD_REQUEST', detail, {
    status: scimType === 'uniqueness' ? 409 : 400,
    extra: { scimType },
  });

export const noSuchResource = (): ApiError =>
  new ApiError('BAD_REQUEST', 'There is no such resource.', { status: 404 });

/** HTTP 412 (RFC 7644, section 3.14). */
export const changedMeanwhile = (): ApiError =>
  new ApiError('BAD_REQUEST', 'The resource has another version.', { status: 412 });

/** HTTP 413 (RFC 7644, section 3.7.4). */
export const tooManyOperations = (max: number): ApiError =>
  new ApiError('BAD_REQUEST', `A bulk request has at most ${max} operations.`, { status: 413 });

/** HTTP 501 (RFC 7644, section 3.12). */
export const notThere = (detail: string): ApiError =>
  new ApiError('BAD_REQUEST', detail, { status: 501 });

/** HTTP 409 for a reference that leads nowhere (RFC 7644, section 3.7.1). */
export const conflict = (detail: string): ApiError =>
  new ApiError('BAD_REQUEST', detail, { status: 409 });

/** HTTP 403: what describes the service is not filtered (RFC 7644, section 4). */
export const filtered = (): ApiError =>
  new ApiError('BAD_REQUEST', 'This list has no filters.', { status: 403 });
