import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ApiError } from '../../domain/wire/errors.ts';

/**
 * A refusal with a follow-up. A refusal undoes what the operation wrote, so its caller runs the
 * sequel as an operation of its own.
 */
export class RefusalWithSequel extends ApiError {
  readonly sequel: (tx: RealmTransaction) => void;

  constructor({ code, message, status, extra }: ApiError, sequel: (tx: RealmTransaction) => void) {
    super(code, message, { status, extra });
    this.sequel = sequel;
  }
}
