import { table } from '../../table.ts';

/** A folder groups channels where they are listed. */
export interface ChannelFolderRow {
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  /** UNIX seconds. */
  readonly dateCreated: number;
  readonly creatorId: number | null;
  /** Its place among all folders, from 0. */
  readonly order: number;
  readonly isArchived: boolean;
}

/** Few, and always listed whole. */
export const channelFolders = table<[folderId: number], ChannelFolderRow>(
  'channel_folders',
  ['name', 'description', 'renderedDescription', 'dateCreated', 'creatorId', 'order', 'isArchived'],
  {
    audited: [
      {
        kind: 'channel_folder',
        target: ([folderId]) => folderId,
        values: ({ name, description, order, isArchived }) => ({
          name,
          description,
          order,
          is_archived: isArchived,
        }),
      },
    ],
  },
);

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
  {
    audited: [
      {
        kind: 'default_channel_group',
        target: ([groupId]) => groupId,
        values: ({ name, description, channelIds }) => ({
          name,
          description,
          channel_ids: channelIds,
        }),
      },
    ],
  },
);
