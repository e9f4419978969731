import { table } from '../table.ts';

/** The other side of `crowd_messages`: whom a message mentions by their groups. Most messages have no row. */
export const messageCrowds = table<[messageId: number], { readonly crowdIds: readonly number[] }>(
  'message_crowds',
  ['crowdIds'],
);
