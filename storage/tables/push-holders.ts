import { table } from '../table.ts';

/** Who has a device that can be pushed to: those whom a message is pushed to are looked for among them alone. */
export const pushHolders = table<[userId: number], object>('push_holders', []);
