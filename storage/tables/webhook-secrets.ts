import { table } from '../table.ts';

/** What the service that calls an incoming webhook signs with: it is needed as it is, so no hash of it would do. */
export interface WebhookSecretRow {
  readonly secret: string;
}

/** By the bot whose key is in the URL: it is looked up for each call. A bot without a secret has no row. */
export const webhookSecrets = table<[botId: number], WebhookSecretRow>('webhook_secrets', [
  'secret',
]);
