import { z } from 'zod';
import * as errors from '../../domain/errors.ts';
import { CHANNELS_PER_REQUEST_MAX } from '../../domain/limits.ts';
import { type CreationRequest, creationOf } from '../../operations/new-channels.ts';
import * as subscriptions from '../../operations/subscriptions.ts';
import { type Asked, endpoint } from '../endpoint.ts';
import { boolean, json, meaning, oneOf } from '../params.ts';
import { nonGuests } from '../permissions.ts';
import { principals, principalsOf } from './principals.ts';

const string = z.string({ error: 'is not a string' });
const ids = z.array(z.int({ error: 'is not an integer' }), { error: 'is not a list' });

const wantedChannel = z.object(
  {
    name: string.trim(),
    description: string.default(''),
    color: string.regex(/^#[0-9a-f]{3,6}$/i, 'is not a valid hex color code').optional(),
  },
  { error: 'is not an object' },
);

/** A user group, or the people and groups that make up an anonymous one (specification, "Group-setting value"). */
const groupSetting = json(
  z.union([z.int(), z.object({ direct_members: ids, direct_subgroups: ids })], {
    error: 'is not a user group',
  }),
).optional();

/** Days, or a word; quoted as JSON, or bare as it reads. */
const retention = meaning(
  z.string().transform((value): unknown => {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }),
  z.union([z.int(), z.enum(['realm_default', 'unlimited'])]),
).optional();

const groups = {
  can_add_subscribers_group: groupSetting,
  can_administer_channel_group: groupSetting,
  can_create_topic_group: groupSetting,
  can_delete_any_message_group: groupSetting,
  can_delete_own_message_group: groupSetting,
  can_move_messages_out_of_channel_group: groupSetting,
  can_move_messages_within_channel_group: groupSetting,
  can_remove_subscribers_group: groupSetting,
  can_resolve_topics_group: groupSetting,
  can_send_message_group: groupSetting,
  can_subscribe_group: groupSetting,
};

const params = {
  subscriptions: json(
    z
      .array(wantedChannel, { error: 'is not a list' })
      .max(CHANNELS_PER_REQUEST_MAX, `has more than ${CHANNELS_PER_REQUEST_MAX} items`),
  ),
  principals,
  authorization_errors_fatal: boolean.default(true),
  announce: boolean.default(false),
  invite_only: boolean.default(false),
  is_web_public: boolean.default(false),
  is_default_stream: boolean.default(false),
  history_public_to_subscribers: boolean.optional(),
  message_retention_days: retention,
  topics_policy: oneOf([
    'inherit',
    'allow_empty_topic',
    'disable_empty_topic',
    'empty_topic_only',
  ]).default('inherit'),
  folder_id: json(z.int({ error: 'is not an integer' }).nullable()).default(null),
  send_new_subscription_messages: boolean.default(true),
  ...groups,
};

const channelNames = z.record(z.string(), z.array(z.string()));

export const subscribe = endpoint({
  summary: 'Subscribe users to channels, creating those that do not exist',
  method: 'POST',
  path: '/users/me/subscriptions',
  allow: nonGuests,
  params,
  reply: {
    subscribed: channelNames,
    already_subscribed: channelNames,
    unauthorized: z.array(z.string()).optional(),
    new_subscription_messages_sent: z.boolean().optional(),
  },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'REQUEST_VARIABLE_INVALID',
    'BAD_REQUEST',
    'UNAUTHORIZED_PRINCIPAL',
  ],
  emits: ['stream', 'default_streams', 'subscription'],
  change: (tx, asked) => {
    const { params: given, user } = asked;
    const names = given.subscriptions.map(({ name }) => name);
    const creation = creationOf(tx, user, { names, request: creationRequest(given) });
    const { unauthorized, ...result } = subscriptions.subscribe(tx, user, {
      channels: given.subscriptions,
      principals: principalsOf(tx, asked, given.principals),
      areRefusalsFatal: given.authorization_errors_fatal,
      creation,
    });
    return {
      ...result,
      ...(given.authorization_errors_fatal ? {} : { unauthorized }),
      // There is no notification bot yet that could tell those who were subscribed.
      ...(given.send_new_subscription_messages ? { new_subscription_messages_sent: false } : {}),
    };
  },
});

type Given = Asked<typeof params>['params'];

function creationRequest(given: Given): CreationRequest {
  return {
    isPrivate: given.invite_only,
    isWebPublic: given.is_web_public,
    isDefault: given.is_default_stream,
    hasSharedHistory: given.history_public_to_subscribers,
    messageRetentionDays: retentionDays(given.message_retention_days),
    topicsPolicy: given.topics_policy,
    folderId: given.folder_id,
    groups: givenGroups(given),
  };
}

/** As stored: null inherits, -1 keeps forever (reference/endpoints.md 1.20). */
function retentionDays(value: unknown): number | null {
  if (value === undefined || value === 'realm_default') return null;
  if (value === 'unlimited') return -1;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  // A list may be nested deeper than there is stack to write it out.
  const shown = typeof value === 'string' || typeof value === 'number' ? value : typeof value;
  throw errors.invalidVariable('message_retention_days', shown);
}

function givenGroups(given: Given): CreationRequest['groups'] {
  // The keys of `groups` are names of channel permissions.
  const names = Object.keys(groups) as (keyof typeof groups)[];
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}
