import { table } from '../table.ts';

/** What a bot does where it does not say what it wants. A bot without any of it has no row. */
export interface BotDefaultsRow {
  /** Where messages go that name no channel. */
  readonly sendingChannelId: number | null;
  /** The channel that queues hear of when they name no narrow. */
  readonly registerChannelId: number | null;
  /** Whether queues hear of all public channels when they do not say. */
  readonly hearsAllPublicChannels: boolean;
}

export const botDefaults = table<[botId: number], BotDefaultsRow>('bot_defaults', [
  'sendingChannelId',
  'registerChannelId',
  'hearsAllPublicChannels',
]);
