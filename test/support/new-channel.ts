/** What a channel is made as where nothing else is asked for. */
export const PUBLIC_CHANNEL = {
  isPrivate: false,
  isWebPublic: false,
  isDefault: false,
  hasSharedHistory: undefined,
  messageRetentionDays: null,
  topicsPolicy: 'inherit',
  folderId: null,
  groups: {},
} as const;
