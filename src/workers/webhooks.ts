import { z } from 'zod';
import { WEBHOOK_ANSWER_BYTES_MAX, WEBHOOK_MS_MAX } from '../domain/limits/bots.ts';
import { apiEmail } from '../domain/rules/people/users.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { webhookAnswer } from '../domain/wire/message-objects.ts';
import { traceparentOf } from '../domain/wire/trace-context.ts';
import { messageInFormat, PLAIN_FORMAT } from '../events/for-client.ts';
import type { Entry } from '../operations/access/outbox.ts';
import * as replies from '../operations/bots/webhook-replies.ts';
import type { WebhookCall } from '../operations/posting/webhook-calls.ts';
import type { Origin, Worker } from './dispatcher.ts';
import { NotPossible } from './hosts.ts';
import { type Posted, type Posting, post } from './post.ts';

/**
 * Calls the webhooks of bots, posts their responses as messages, and tells the owners of failures.
 */
export const webhookWorker: Worker = {
  // There are three more attempts within two minutes, while the user who asked the bot is still
  // there.
  pausesMs: [2_000, 15_000, 60_000],
  async deliver(entry, origin) {
    const call = callIn(entry);
    const parties = replies.partiesOf(origin.realm.reader, call);
    if (parties === undefined) return;
    try {
      const request = requestOf(call, parties, origin);
      const answer = await post({
        ...request,
        ...(call.trace === undefined
          ? {}
          : { headers: { traceparent: traceparentOf(call.trace) } }),
        url: parties.service.baseUrl,
        timeoutMs: WEBHOOK_MS_MAX,
        bytesMax: WEBHOOK_ANSWER_BYTES_MAX,
        allowsPrivate: origin.site.settings.allowsPrivateWebhooks,
      });
      const content = contentOf(answer, parties.service.interface);
      if (content !== null) {
        await origin.realm.perform((tx) => replies.reply(tx, origin.site, { call, content }));
      }
    } catch (error) {
      if (!isFinal(error)) throw error;
      await complain(call, origin, error);
    }
  },
  giveUp: (entry, origin, error) => complain(callIn(entry), origin, error),
};

type Parties = NonNullable<ReturnType<typeof replies.partiesOf>>;

/** Reads the content of the entry, which only `posting/webhook-calls.ts` writes. */
const callIn = (entry: Entry) => entry.content as WebhookCall;

/**
 * Tells whether another attempt would fail in the same way. An error of a stopping server is not
 * final: the entry is delivered after the next start.
 */
const isFinal = (error: unknown): error is Error =>
  error instanceof NotPossible || (error instanceof ApiError && error.status < 500);

const complain = (call: WebhookCall, { realm, site }: Origin, error: unknown) =>
  realm.perform((tx) => replies.complain(tx, site, { call, problem: problemOf(error) }));

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The call failed.';
  if (error.name === 'TimeoutError') return `There was no answer in ${WEBHOOK_MS_MAX / 1000} s.`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || error instanceof ApiError
    ? error.message
    : `The server could not be reached (${code}).`;
}

function requestOf(
  call: WebhookCall,
  parties: Parties,
  { site }: Origin,
): Pick<Posting, 'contentType' | 'body'> {
  return parties.service.interface === 1
    ? { contentType: 'application/json', body: JSON.stringify(ownPayload(call, parties, site)) }
    : { contentType: FORM, body: slackPayload(call, parties, site) };
}

const FORM = 'application/x-www-form-urlencoded';

/** Returns the payload of the specification ("POST /service-outgoing-webhook"). */
function ownPayload(
  { message, trigger }: WebhookCall,
  { bot, service }: Parties,
  site: Origin['site'],
) {
  return {
    bot_email: apiEmail(bot, site.host),
    bot_full_name: bot.fullName,
    data: message.content,
    trigger,
    token: service.token,
    message: {
      ...messageInFormat(message, PLAIN_FORMAT),
      // The recipient is no client of the realm, so a relative path would lead nowhere.
      avatar_url: new URL(message.avatar_url, site.url).href,
      rendered_content: message.rendered_content,
    },
  };
}

/** Returns a payload in the format of Slack, which has no direct messages. */
function slackPayload(
  { message, trigger }: WebhookCall,
  { bot, service, realmId }: Parties,
  site: Origin['site'],
): string {
  if (message.stream_id === undefined) {
    throw new NotPossible('A webhook in the form of Slack takes no direct messages.');
  }
  return new URLSearchParams({
    token: service.token,
    team_id: `T${realmId}`,
    team_domain: site.host,
    channel_id: `C${message.stream_id}`,
    channel_name: String(message.display_recipient),
    thread_ts: String(message.timestamp),
    timestamp: String(message.timestamp),
    user_id: `U${message.sender_id}`,
    user_name: message.sender_full_name,
    text: message.content,
    trigger_word: trigger,
    service_id: String(bot.id),
  }).toString();
}

const slackAnswer = z.object({ text: z.string().optional() });

/**
 * Returns what the bot is to say, or null for nothing. Throws a plain error for a fault of the
 * remote server, which is worth another attempt.
 */
function contentOf({ status, text }: Posted, kind: 1 | 2): string | null {
  if (status >= 500) throw new Error(`The server answered with status ${status}.`);
  if (status < 200 || status > 299) {
    throw new NotPossible(`The server answered with status ${status}.`);
  }
  const content = kind === 1 ? ownContent(text) : parsed(slackAnswer, text).text;
  return content === undefined || content.trim() === '' ? null : content;
}

function ownContent(text: string): string | undefined {
  const answer = parsed(webhookAnswer, text);
  return answer.response_not_required ? undefined : (answer.response_string ?? answer.content);
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  // Many servers send an empty body, which counts as an answer without a message.
  const result = schema.safeParse(text.trim() === '' ? {} : jsonIn(text));
  if (!result.success) throw new NotPossible('The answer has no such form as is expected.');
  return result.data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new NotPossible('The answer is not JSON.');
  }
}
