import { z } from 'zod';
import {
  EVENT_FILTERS_MAX,
  EVENT_NAME_LENGTH_MAX,
  PAYLOAD_BYTES_MAX,
} from '../../domain/limits/bots.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as webhookErrors from '../../domain/wire/webhook-errors.ts';
import { contentByItself, type Integration, passesFilter } from '../../integrations/integration.ts';
import { INTEGRATION_NAMES, INTEGRATIONS } from '../../integrations/integrations.ts';
import { parsedPayload } from '../../integrations/payload.ts';
import { storable, topicText } from '../../integrations/texts.ts';
import * as incomingWebhooks from '../../operations/bots/incoming-webhooks.ts';
import * as webhookSecrets from '../../operations/bots/webhook-secrets.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { EVENTS_OF_SENDING } from '../messages/events-of-sending.ts';
import { json, meaning, oneOf, text } from '../params.ts';
import { rule } from '../permissions.ts';

/**
 * The service that posts has the key of the URL, so a key that can do more than a bot is refused.
 */
const sendingBots = rule('incoming-webhook and generic bots', ({ botType }) => {
  if (botType === BotType.incomingWebhook || botType === BotType.generic) return;
  throw errors.badRequest('Only incoming webhook bots and generic bots have such a URL.');
});

/** Unescapes a text once more, since some services escape a URL twice. */
const unescaped = meaning(text.transform(decodedOnceMore), z.string());

const pattern = z
  .string({ error: 'is not a string' })
  .max(EVENT_NAME_LENGTH_MAX, `is too long (limit: ${EVENT_NAME_LENGTH_MAX} characters)`);
const eventFilter = json(
  z
    .array(pattern, { error: 'is not a list' })
    .max(EVENT_FILTERS_MAX, `has more than ${EVENT_FILTERS_MAX} items`),
).optional();

const params = {
  integration: oneOf(INTEGRATION_NAMES),
  api_key: text,
  stream: unescaped
    .optional()
    .describe('Name or id of a channel; without it the message goes to the owner of the bot'),
  topic: unescaped.optional().describe('In place of the one that the event has'),
  only_events: eventFilter.describe('Sends for events of these names alone; `*` is any text'),
  exclude_events: eventFilter.describe('Sends nothing for events of these names'),
  branches: unescaped
    .optional()
    .describe('Names of branches, by commas; what concerns other branches alone is not sent'),
  payload: text.optional().describe('The JSON, where it is not the body itself'),
};

export const receiveWebhook = endpoint({
  summary: 'Send a message about an event that another service posts',
  description:
    'Such a URL is given to a service that calls webhooks: see ' +
    '[integrations.md](integrations.md). An event that is filtered out is answered with a success, and nothing is sent.',
  method: 'POST',
  path: '/external/{integration}',
  rate: 'send',
  allow: sendingBots,
  byUrlKey: true,
  params,
  headers: {
    'X-GitHub-Event': 'What has happened, for `github`',
    'X-Hub-Signature-256':
      'The signature of a bot with a secret, as GitHub makes it: `sha256=` and the HMAC of the body',
    'X-Gitlab-Token': 'The secret of the bot, as GitLab sends it',
    'Webhook-Signature':
      'The signature by Standard Webhooks, with `Webhook-Id` and `Webhook-Timestamp`',
    'Idempotency-Key': 'A repeat with the same one, within a day, sends nothing.',
  },
  reply: { ok: z.literal(true).describe('For those who know the API of Slack') },
  refuses: [
    'BAD_REQUEST',
    'INVALID_JSON',
    'ANOMALOUS_WEBHOOK_PAYLOAD',
    'MISSING_HTTP_EVENT_HEADER',
    'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
    'STREAM_DOES_NOT_EXIST',
  ],
  emits: EVENTS_OF_SENDING,
  change: (tx, request) => {
    const { params, idempotencyKey } = request;
    const integration: Integration = INTEGRATIONS[params.integration];
    refuseHuge(request.posted.body.length);
    webhookSecrets.check(tx, request.user, request.posted);
    const notice = integration.notice(payloadOf(request), eventOf(request, integration));
    const filter = {
      only: params.only_events,
      exclude: params.exclude_events,
      branches: params.branches?.split(',').map((name) => name.trim()),
    };
    if (passesFilter(notice, filter)) {
      const { user, site } = request;
      const hasTopic = params.stream !== undefined && params.topic === undefined;
      const content = hasTopic ? notice.content : contentByItself(notice);
      incomingWebhooks.deliver(
        tx,
        { user, site, client: clientName(integration) },
        {
          content: storable(content),
          topic: topicText(params.topic ?? notice.topic),
          stream: params.stream,
          repeatKeys: idempotencyKey === null ? [] : [`key:${idempotencyKey}`],
        },
      );
    }
    return { ok: true };
  },
});

type WebhookRequest = ParsedRequest<typeof params>;

function payloadOf({ posted, params }: WebhookRequest): unknown {
  const payload = posted.text ?? params.payload;
  if (payload === undefined) throw errors.missingParameter('payload');
  if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX)
    throw errors.payloadTooLarge(PAYLOAD_BYTES_MAX);
  return parsedPayload(payload);
}

function eventOf({ posted }: WebhookRequest, { eventHeader }: Integration): string {
  if (eventHeader === undefined) return '';
  const event = posted.header(eventHeader);
  if (event === undefined || event === '') throw webhookErrors.missingEventHeader(eventHeader);
  return event.slice(0, EVENT_NAME_LENGTH_MAX);
}

/**
 * Refuses a large body. A form may be three times as large as its content, because it is escaped.
 */
function refuseHuge(bytes: number) {
  if (bytes > 3 * PAYLOAD_BYTES_MAX) throw errors.payloadTooLarge(PAYLOAD_BYTES_MAX);
}

const clientName = ({ displayName }: Integration) => `${displayName.replaceAll(' ', '')}Webhook`;

function decodedOnceMore(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
