import { ApiError } from '../wire/errors.ts';

/** The kinds of refusals that a client can tell apart (RFC 7644, section 3.12, table 9). */
export type ScimType =
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
