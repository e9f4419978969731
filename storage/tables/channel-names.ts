import { table } from '../table.ts';

/** Finds a channel by lower-cased name. */
export const channelNames = table<[name: string], { readonly channelId: number }>('channel_names', [
  'channelId',
]);
