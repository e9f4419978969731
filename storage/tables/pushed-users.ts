import { table } from '../table.ts';

/** The other side of `pushed_messages`: whose devices show a message, for when it is deleted. */
export const pushedUsers = table<[messageId: number, userId: number], object>('pushed_users', []);
