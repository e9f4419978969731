import { hidden } from '../../audit/declaration.ts';
import { table } from '../../table.ts';

/** The service that an outgoing-webhook bot calls. */
export interface BotServiceRow {
  readonly baseUrl: string;
  /** 1: the service's own payload; 2: the payload of Slack. */
  readonly interface: 1 | 2;
  /** The called service knows the bot by it; it never changes. */
  readonly token: string;
}

export const botServices = table<[botId: number], BotServiceRow>(
  'bot_services',
  ['baseUrl', 'interface', 'token'],
  {
    audited: [
      {
        kind: 'bot_service',
        target: ([botId]) => botId,
        // Behind the site a URL may have a key.
        values: ({ baseUrl, interface: format, token }) => ({
          site: siteOf(baseUrl),
          base_url: hidden(baseUrl),
          interface: format,
          token: hidden(token),
        }),
      },
    ],
  },
);

const siteOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : null);

/**
 * Channels that a bot uses if a request does not name any. A bot without any of them has no row.
 */
export interface BotDefaultsRow {
  /** The channel for messages that name none. */
  readonly sendingChannelId: number | null;
  /** The channel that queues hear of when they name no narrow. */
  readonly registerChannelId: number | null;
  /** True if queues that do not say otherwise hear of all public channels. */
  readonly hearsAllPublicChannels: boolean;
}

export const botDefaults = table<[botId: number], BotDefaultsRow>(
  'bot_defaults',
  ['sendingChannelId', 'registerChannelId', 'hearsAllPublicChannels'],
  {
    audited: [
      {
        kind: 'bot_defaults',
        target: ([botId]) => botId,
        values: (row) => ({
          default_sending_stream: row.sendingChannelId,
          default_events_register_stream: row.registerChannelId,
          default_all_public_streams: row.hearsAllPublicChannels,
        }),
      },
    ],
  },
);

/**
 * When (UNIX milliseconds) the owner of a bot was last told that it sends where nobody listens, so
 * that the owner is told only now and then.
 */
export const botNotices = table<[botId: number], { readonly at: number }>('bot_notices', ['at']);

/** A text that a bot keeps on the server, by a name of its own choice. */
export interface BotStorageRow {
  readonly value: string;
}

/** User first: the texts of one user are read and removed together. */
export const botStorage = table<[userId: number, key: string], BotStorageRow>('bot_storage', [
  'value',
]);

/**
 * The size of a user's rows in `bot_storage`, so that the bound is checked without reading all of
 * them.
 */
export interface BotStorageSizeRow {
  readonly keys: number;
  /** Characters of keys and values together. */
  readonly characters: number;
}

/** One row for each user who keeps something. */
export const botStorageSizes = table<[userId: number], BotStorageSizeRow>('bot_storage_sizes', [
  'keys',
  'characters',
]);

/**
 * The secret that the service which calls an incoming webhook signs with. It is stored as it is,
 * because a hash could not check a signature.
 */
export interface WebhookSecretRow {
  readonly secret: string;
}

/**
 * Finds the secret for each call by the bot whose key is in the URL. A bot without a secret has no
 * row.
 */
export const webhookSecrets = table<[botId: number], WebhookSecretRow>(
  'webhook_secrets',
  ['secret'],
  {
    audited: [
      {
        kind: 'webhook_secret',
        target: ([botId]) => botId,
        values: ({ secret }) => ({ secret: hidden(secret) }),
      },
    ],
  },
);
