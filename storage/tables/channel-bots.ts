import { table } from '../table.ts';

/** The bots of which a channel is a default. Channel first: those who manage them hear of its new name. */
export const channelBots = table<[channelId: number, botId: number], Record<never, never>>(
  'channel_bots',
  [],
);
