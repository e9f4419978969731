import { table } from '../../table.ts';

/** Whom an outgoing-webhook bot calls. */
export interface BotServiceRow {
  readonly baseUrl: string;
  /** 1: the service's own payload; 2: the one of Slack. */
  readonly interface: 1 | 2;
  /** By which the other side knows that it is this bot that calls; never changes. */
  readonly token: string;
}

export const botServices = table<[botId: number], BotServiceRow>('bot_services', [
  'baseUrl',
  'interface',
  'token',
]);

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

/** When (UNIX milliseconds) the owner of a bot was last told that it sends where nobody listens: not more than now and then. */
export const botNotices = table<[botId: number], { readonly at: number }>('bot_notices', ['at']);

/** A text that a bot keeps on the server, by a name of its own choice. */
export interface BotStorageRow {
  readonly value: string;
}

/** User first: what is kept is read and removed for one user. */
export const botStorage = table<[userId: number, key: string], BotStorageRow>('bot_storage', [
  'value',
]);

/** How much a user keeps in `bot_storage`, so that the bound is checked without reading all of it. */
export interface BotStorageSizeRow {
  readonly keys: number;
  /** Of keys and values together. */
  readonly characters: number;
}

/** One row a user who keeps something. */
export const botStorageSizes = table<[userId: number], BotStorageSizeRow>('bot_storage_sizes', [
  'keys',
  'characters',
]);

/** What the service that calls an incoming webhook signs with: it is needed as it is, so no hash of it would do. */
export interface WebhookSecretRow {
  readonly secret: string;
}

/** By the bot whose key is in the URL: it is looked up for each call. A bot without a secret has no row. */
export const webhookSecrets = table<[botId: number], WebhookSecretRow>('webhook_secrets', [
  'secret',
]);
