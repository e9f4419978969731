import { table } from '../table.ts';

/** The rows of `muted_users` by the muted one: every send looks for those of its sender. */
export const muters = table<[mutedId: number, userId: number], Record<never, never>>('muters', []);
