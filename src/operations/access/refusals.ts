import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ApiError } from '../../domain/wire/errors.ts';

/**
 * A refusal with a follow-up. A refusal undoes what the operation wrote, so its caller runs the
 * followUp as an operation of its own.
 */
export class RefusalWithFollowUp extends ApiError {
  readonly followUp: (tx: RealmTransaction) => void;

  constructor(
    { code, message, status, extra }: ApiError,
    followUp: (tx: RealmTransaction) => void,
  ) {
    super(code, message, { status, extra });
    this.followUp = followUp;
  }
}
