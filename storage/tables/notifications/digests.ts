import { table } from '../../table.ts';

/** The plan of the weekly mails. It is written with the mails, so that none is sent twice. */
export interface DigestPlanRow {
  /** The day of the week that it was made for: 0 is Monday. */
  readonly weekday: number;
  /** When the next mails are due (UNIX milliseconds). */
  readonly nextAt: number;
  /** When the ones before were due; 0: there were none. */
  readonly formerAt: number;
  /** When the next step is due (UNIX milliseconds): people get their mails a few at a time. */
  readonly stepAt: number;
  /** The last person of the step before; 0: the mails have not begun. */
  readonly afterUserId: number;
}

/** One row, once the organization has had digests. */
export const digestPlan = table<[only: 'plan'], DigestPlanRow>('digest_plan', [
  'weekday',
  'nextAt',
  'formerAt',
  'stepAt',
  'afterUserId',
]);
