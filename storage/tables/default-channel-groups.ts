import { table } from '../table.ts';

/** Channels that somebody new may choose together. */
export interface DefaultChannelGroupRow {
  readonly name: string;
  readonly description: string;
  /** Ascending; public channels that are not archived. */
  readonly channelIds: readonly number[];
}

/** Few, and always told whole. */
export const defaultChannelGroups = table<[groupId: number], DefaultChannelGroupRow>(
  'default_channel_groups',
  ['name', 'description', 'channelIds'],
);
