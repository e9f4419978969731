import { table } from '../table.ts';

/** The other side of `message_flags`: for whom a message has flags, for when it is deleted or moved out of sight. */
export const flagHolders = table<[messageId: number, userId: number], object>('flag_holders', []);
