import { PERSONAL_TEXTS_LENGTH_MAX } from '../../domain/limits/personal.ts';
import * as errors from '../../domain/wire/errors.ts';

/** A text of one user, its HTML if that is stored, and the people it is for. */
interface PersonalText {
  readonly content: string;
  readonly renderedContent?: string;
  readonly to?: readonly number[];
  readonly userIds?: readonly number[];
}

/**
 * Refuses more text than one user may store of a kind. It runs after the write, which a refusal
 * undoes.
 */
export function refuseTooLong(
  rows: Iterable<readonly [key: unknown, row: PersonalText]>,
  kind: string,
) {
  let length = 0;
  for (const [, { content, renderedContent = '', to = [], userIds = [] }] of rows) {
    length += content.length + renderedContent.length + ID_LENGTH * (to.length + userIds.length);
    if (length > PERSONAL_TEXTS_LENGTH_MAX) {
      throw errors.badRequest(
        `Your ${kind} can have at most ${PERSONAL_TEXTS_LENGTH_MAX} characters altogether.`,
      );
    }
  }
}

/** Characters of a user id in a list, with its comma. */
const ID_LENGTH = 8;
