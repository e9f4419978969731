import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ApiError } from '../../domain/wire/errors.ts';

/**
 * A refusal that something follows from. Refusing undoes what the operation wrote, so whoever ran it then runs the sequel
 * as an operation of its own.
 */
export class RefusalWithSequel extends ApiError {
  readonly sequel: (tx: RealmTransaction) => void;

  constructor({ code, message, status, extra }: ApiError, sequel: (tx: RealmTransaction) => void) {
    super(code, message, { status, extra });
    this.sequel = sequel;
  }
}
