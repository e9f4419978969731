// biome-ignore-all lint/performance/noBarrelFile: it goes when all branches are merged.
// The bounds are in the files of the folder; this is the place where they were.

export * from './limits/accounts.ts';
export * from './limits/archives.ts';
export * from './limits/bots.ts';
export * from './limits/channels.ts';
export * from './limits/credentials.ts';
export * from './limits/disk.ts';
export * from './limits/event-queues.ts';
export * from './limits/external-content.ts';
export * from './limits/files.ts';
export * from './limits/groups.ts';
export * from './limits/images.ts';
export * from './limits/markdown.ts';
export * from './limits/messages.ts';
export * from './limits/operator.ts';
export * from './limits/organizations.ts';
export * from './limits/outbox.ts';
export * from './limits/personal.ts';
export * from './limits/requests.ts';
export * from './limits/sockets.ts';
export * from './limits/turns.ts';
