import { table } from '../table.ts';

/** `first_results` by time (UNIX milliseconds), so that the old ones are found without a scan. */
export const firstResultTimes = table<
  [at: number, userId: number, key: string],
  Record<never, never>
>('first_result_times', []);
