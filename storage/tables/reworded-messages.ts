import { table } from '../table.ts';

/** Messages that say something else than when they came into the search index; they are looked at themselves. */
export const rewordedMessages = table<[messageId: number], object>('reworded_messages', []);
