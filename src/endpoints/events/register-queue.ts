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
import { isGuest } from '../../domain/wire/roles.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import * as eventQueues from '../../operations/access/event-queues.ts';
import * as spectators from '../../operations/access/spectators.ts';
import { initialState } from '../../operations/registration/initial-state.ts';
import * as botDefaults from '../../operations/users/bot-defaults.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { boolean, json, naturalNumber, oneOf } from '../params.ts';
import { anyUser } from '../permissions.ts';
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
    const given = optionsOf(params, { clientGravatar: params.client_gravatar ?? hasAccount });
    const wanted = { allPublicChannels: params.all_public_streams, narrow: params.narrow };
    const { event_types, fetch_event_types, include_subscribers, presence_history_limit_days } =
      params;
    realm.run(
      (tx) => {
        // The account is read again: an earlier operation of the batch may have changed it, or the
        // realm.
        const current = hasAccount
          ? accountOfUser(tx, user.id)
          : spectators.admit(tx, site.settings);
        const caller = { site, client, user: current };
        const options = { ...given, ...botDefaults.registration(tx, current, wanted) };
        if (options.allPublicChannels && isGuest(caller.user.role)) {
          throw errors.badRequest('User not authorized for this query');
        }
        const queue = hasAccount
          ? eventQueues.add(tx, { userId: user.id, keyHash, program }, options)
          : null;
        const state = initialState(tx, {
          caller,
          options,
          fetchTypes: fetch_event_types ?? event_types ?? null,
          includeSubscribers: include_subscribers,
          presenceHistoryDays: presence_history_limit_days,
        });
        return { queue, state };
      },
      (outcome) => {
        if (!outcome.isDone) return refuse(outcome.error);
        const { queue, state } = outcome.reply;
        if (queue === null) return answer({ queue_id: null, ...state });
        // The queue opens before the answer: the client may poll as soon as it has it.
        realm.queues.open(queue.id, queue.row);
        answer({ queue_id: queue.id, last_event_id: queue.row.startedAt, ...state });
      },
      user.id,
    );
  },
});

type Registration = ParsedRequest<typeof params>['params'];

/** Refuses options that spectators cannot use (specification, "POST /register"). */
function refuseOfSpectators({ client_gravatar, include_subscribers }: Registration) {
  if (client_gravatar === true) throw errors.notForAnonymous('client_gravatar');
  if (include_subscribers !== 'false') throw errors.notForAnonymous('include_subscribers');
}

/**
 * Returns the options of the queue, except those for which a bot has defaults; refuses a narrow
 * that no queue can have.
 */
function optionsOf(
  given: Registration,
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
