import { z } from 'zod';
import {
  EVENT_TYPES_MAX,
  QUEUE_IDLE_SECONDS,
  QUEUE_IDLE_SECONDS_MAX,
  QUEUE_WORD_LENGTH_MAX,
} from '../../domain/limits/event-queues.ts';
import { parseQueueNarrow } from '../../domain/rules/messages/narrow.ts';
import { PRESENCE_HISTORY_DAYS } from '../../domain/rules/people/presence.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import * as errors from '../../domain/wire/errors.ts';
import {
  CLIENT_CAPABILITIES,
  type ClientCapability,
  eventTypesNamed,
  type QueueOptions,
} from '../../domain/wire/events/queue-options.ts';
import type { BotObject } from '../../domain/wire/objects.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { boolean, json, naturalNumber, oneOf } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { type Registration, register } from './registering.ts';
import { snapshotFields } from './snapshot-fields.ts';

const word = z
  .string({ error: 'is not a string' })
  .max(QUEUE_WORD_LENGTH_MAX, `is longer than ${QUEUE_WORD_LENGTH_MAX} characters`);

/** Null means the same as absence: every type. */
const types = json(
  z
    .array(word, { error: 'is not a list' })
    .max(EVENT_TYPES_MAX, `has more than ${EVENT_TYPES_MAX} items`)
    .nullable(),
).optional();

const flag = z.boolean({ error: 'is not a boolean' });
const optionalFlags = Object.fromEntries(
  CLIENT_CAPABILITIES.map((name) => [name, flag.optional()]),
) as Record<ClientCapability, z.ZodOptional<z.ZodBoolean>>; // one entry per name, by construction

/**
 * All of them are optional: "without it the server uses the older format" (specification;
 * docs/decisions/0060).
 */
const capabilities = z.object(optionalFlags, { error: 'is not a dict' }).readonly();

const params = {
  apply_markdown: boolean.default(false),
  client_gravatar: boolean
    .optional()
    .describe('True by default for those who are logged in; for others it has to be false'),
  include_subscribers: oneOf(['true', 'false', 'partial']).default('false'),
  slim_presence: boolean.default(false),
  presence_history_limit_days: naturalNumber.default(PRESENCE_HISTORY_DAYS),
  event_types: types,
  fetch_event_types: types,
  all_public_streams: boolean
    .optional()
    .describe('False by default; for a bot, its `default_all_public_streams`'),
  narrow: json(
    z.array(z.tuple([word, word], { error: 'is not a pair' }), { error: 'is not a list' }),
  ).default([]),
  client_capabilities: json(capabilities).optional(),
  queue_lifespan_secs: naturalNumber.default(0),
};

export const registerQueue = endpoint({
  summary: 'Register an event queue and get the state that its events continue',
  method: 'POST',
  needsNoSpace: true,
  path: '/register',
  allow: anyUser,
  spectators: true,
  params,
  refuses: ['BAD_REQUEST'],
  reply: snapshotFields,
  // Services of bots have tokens; without these no key is in it.
  holdsSecret: ({ realm_bots: bots = [] }) =>
    (bots as readonly BotObject[]).some(({ services }) => services.length > 0),
  exchange(request, { realm, answer, refuse }) {
    const { params, site, client, user, keyHash, program } = request;
    const hasAccount = !isSpectator(user);
    if (!hasAccount) refuseOfSpectators(params);
    const registration: Registration = {
      site,
      client,
      hasAccount,
      asked: {
        userId: user.id,
        keyHash,
        program,
        options: optionsOf(params, { clientGravatar: params.client_gravatar ?? hasAccount }),
        wanted: { allPublicChannels: params.all_public_streams, narrow: params.narrow },
      },
      fetchTypes: params.fetch_event_types ?? params.event_types ?? null,
      includeSubscribers: params.include_subscribers,
      presenceHistoryDays: params.presence_history_limit_days,
    };
    register(realm, registration, (outcome) => {
      if (outcome.isDone) answer(outcome.reply);
      else refuse(outcome.error);
    });
  },
});

type Given = ParsedRequest<typeof params>['params'];

/** Refuses options that spectators cannot use (specification, "POST /register"). */
function refuseOfSpectators({ client_gravatar, include_subscribers }: Given) {
  if (client_gravatar === true) throw errors.notForAnonymous('client_gravatar');
  if (include_subscribers !== 'false') throw errors.notForAnonymous('include_subscribers');
}

/**
 * Returns the options of the queue, except those for which a bot has defaults; refuses a narrow
 * that no queue can have.
 */
function optionsOf(
  given: Given,
  { clientGravatar }: Pick<QueueOptions, 'clientGravatar'>,
): Omit<QueueOptions, 'allPublicChannels' | 'narrow'> {
  parseQueueNarrow(given.narrow);
  const lifespan = given.queue_lifespan_secs;
  return {
    applyMarkdown: given.apply_markdown,
    clientGravatar,
    slimPresence: given.slim_presence,
    eventTypes: given.event_types == null ? null : eventTypesNamed(given.event_types),
    capabilities: declared(given.client_capabilities ?? {}),
    idleSeconds: lifespan === 0 ? QUEUE_IDLE_SECONDS : Math.min(lifespan, QUEUE_IDLE_SECONDS_MAX),
  };
}

/** Keeps only the capabilities that are true: a missing one means false. */
function declared(given: Partial<Record<ClientCapability, boolean | undefined>>) {
  const names = CLIENT_CAPABILITIES.filter((name) => given[name] === true);
  return Object.fromEntries(names.map((name) => [name, true])) as QueueOptions['capabilities'];
}
