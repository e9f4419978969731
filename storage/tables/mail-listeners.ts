import { table } from '../table.ts';

/** Who wants every message of a channel mailed while they are away; as `push_listeners`, with the same word for all channels. */
export const mailListeners = table<[channelId: number, userId: number], object>(
  'mail_listeners',
  [],
);
