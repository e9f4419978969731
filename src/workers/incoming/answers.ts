import { ApiError } from '../../domain/wire/errors.ts';
import type { MailInResult } from '../../metrics/recorders.ts';
import { TooBusy, Unreadable } from './reader.ts';

/** The answer to the data of a mail, as a relay gets it, and one node from another. */
export interface MailAnswer {
  /** An SMTP code (RFC 5321 section 4.2): 250, 4xx for now, 5xx for good. */
  readonly code: number;
  readonly text: string;
  readonly result: MailInResult;
}

/** A refusal in the form of SMTP; the library adds the enhanced code (RFC 3463). */
export class Refusal extends Error implements Omit<MailAnswer, 'text' | 'code'> {
  readonly responseCode: number;
  readonly result: MailInResult;

  constructor(responseCode: number, result: MailInResult, text: string) {
    super(text);
    this.responseCode = responseCode;
    this.result = result;
  }
}

export const answerOf = ({ responseCode, result, message }: Refusal): MailAnswer => ({
  code: responseCode,
  text: message,
  result,
});

/** Temporary faults are 4xx: the relay keeps the mail and comes again. */
export function asRefusal(error: unknown, onBug: (error: unknown) => void): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unreadable) return new Refusal(554, 'unreadable', 'the mail cannot be read');
  if (error instanceof TooBusy) return new Refusal(451, 'busy', error.message);
  if (error instanceof ApiError) {
    // Limits, a full disk and a server that stops change by themselves.
    const isTemporary = error.status === 429 || error.status >= 500;
    return isTemporary
      ? new Refusal(451, 'busy', error.message)
      : new Refusal(554, 'not_allowed', error.message);
  }
  onBug(error);
  return new Refusal(451, 'fault', 'this server has a fault: try again later');
}
