import { table } from '../table.ts';

/** In place of a channel: of all channels that the user did not decide about. No channel has this id. */
export const ALL_CHANNELS = 0;

/** Who wants every message of a channel pushed. Channel first: those of a channel are one range. */
export const pushListeners = table<[channelId: number, userId: number], object>(
  'push_listeners',
  [],
);
