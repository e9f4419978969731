import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  WEBHOOK_AGE_SECONDS_MAX,
  WEBHOOK_SECRET_LENGTH_MAX,
  WEBHOOK_SIGNATURES_MAX,
} from '../../domain/limits/bots.ts';
import { cutTo, isLongerThan, unprintableIn } from '../../domain/rules/messages/topic.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';

/** The name of the secret in the configuration of a bot. */
const WEBHOOK_SECRET = 'webhook_secret';

/** Sets the given keys of a bot's configuration; an empty secret removes it. */
export function configure(
  tx: RealmTransaction,
  bot: Pick<UserRow, 'id' | 'botType'>,
  config: ReadonlyMap<string, string>,
) {
  for (const [key, secret] of config) {
    if (bot.botType !== BotType.incomingWebhook || key !== WEBHOOK_SECRET) {
      throw errors.badRequest(`A bot of this type has no '${cutTo(key, 100)}' in its config_data`);
    }
    if (isLongerThan(secret, WEBHOOK_SECRET_LENGTH_MAX)) {
      throw errors.badRequest(
        `${WEBHOOK_SECRET} is too long (limit: ${WEBHOOK_SECRET_LENGTH_MAX} characters)`,
      );
    }
    // A header cannot contain it, so no service could send it.
    if (unprintableIn(secret)) throw errors.badRequest(`Invalid character in ${WEBHOOK_SECRET}`);
    if (secret === '') tx.webhookSecrets.remove([bot.id]);
    else tx.webhookSecrets.put([bot.id], { secret });
  }
}

/** Refuses a bot with a secret that sends only by its key: others may have found its URL. */
export function refuseUnsigned(reads: Reads, { id, botType }: Pick<UserRow, 'id' | 'botType'>) {
  if (botType !== BotType.incomingWebhook || !reads.webhookSecrets.has([id])) return;
  throw errors.unauthorized('This bot has a webhook secret: it sends by signed webhooks alone.');
}

/** The request of a service, as it came. */
export interface Signed {
  readonly body: Uint8Array;
  header(name: string): string | undefined;
}

/** Refuses a request that does not prove its sender knows the bot's secret, if there is one. */
export function check(tx: RealmTransaction, { id }: Pick<UserRow, 'id'>, signed: Signed): void {
  const row = tx.webhookSecrets.get([id]);
  if (row === undefined) return;
  const proofs = PROOFS.filter(({ header }) => signed.header(header) !== undefined);
  if (proofs.length === 0) {
    const names = PROOFS.map(({ header }) => header);
    throw errors.unauthorized(
      `This webhook has a secret, and the request has no signature: ${names.join(', ')}`,
    );
  }
  // Each proof needs the secret, so one is enough; a service with two proofs may use the other for
  // another receiver.
  const secondsNow = Math.floor(tx.now / 1000);
  if (proofs.some((proof) => proof.holds(signed, { secret: row.secret, secondsNow }))) return;
  throw errors.unauthorized('The signature of the request is not that of the webhook secret');
}

interface Proof {
  readonly header: string;
  holds(signed: Signed, known: { secret: string; secondsNow: number }): boolean;
}

const PROOFS: readonly Proof[] = [
  {
    // GitHub and compatible services send the HMAC of the body.
    header: 'X-Hub-Signature-256',
    holds({ body, header }, { secret }) {
      const hex = /^sha256=([0-9a-f]{64})$/i.exec(header(this.header) ?? '')?.[1];
      if (hex === undefined) return false;
      const expected = createHmac('sha256', secret).update(body).digest();
      return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
    },
  },
  {
    // GitLab sends the secret itself. It is compared by digests, because the comparison needs equal
    // lengths.
    header: 'X-Gitlab-Token',
    holds: ({ header }, { secret }) =>
      timingSafeEqual(digest(header('X-Gitlab-Token') ?? ''), digest(secret)),
  },
  {
    // Standard Webhooks, which newer versions of GitLab use: the HMAC of id, time and body.
    header: 'Webhook-Signature',
    holds({ body, header }, { secret, secondsNow }) {
      const [id, timestamp] = [header('Webhook-Id') ?? '', header('Webhook-Timestamp') ?? ''];
      if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false;
      if (Math.abs(secondsNow - Number(timestamp)) > WEBHOOK_AGE_SECONDS_MAX) return false;
      const expected = createHmac('sha256', signingKey(secret))
        .update(`${id}.${timestamp}.`)
        .update(body)
        .digest();
      return (header(this.header) ?? '')
        .split(' ', WEBHOOK_SIGNATURES_MAX)
        .map((signature) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1])
        .some((text) => text !== undefined && isSame(expected, Buffer.from(text, 'base64')));
    },
  },
];

const digest = (text: string) => createHash('sha256').update(text).digest();

const isSame = (expected: Buffer, given: Buffer) =>
  given.length === expected.length && timingSafeEqual(expected, given);

/** Returns the key; after `whsec_` it is in base64. */
const signingKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
