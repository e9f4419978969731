import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import type { TopicsPolicy } from '../../domain/wire/objects.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/wire/settings/permission-settings.ts';
import type { CreationRequest } from '../../operations/channels/new-channels.ts';
import type { Values } from '../endpoint.ts';
import {
  boolean,
  given,
  groupSetting,
  json,
  jsonOrBare,
  meaning,
  oneOf,
  perPermission,
} from '../params.ts';

/** A number of days, or a word. */
export const retention = meaning(
  jsonOrBare,
  z.union([z.int(), z.enum(['realm_default', 'unlimited'])]),
).optional();

export const policyOfTopics = oneOf([
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
] satisfies readonly [TopicsPolicy, ...TopicsPolicy[]]);
export const folderId = json(z.int({ error: 'is not an integer' }).nullable());

export const PERMISSIONS = SERVER_SUPPORTED_PERMISSION_SETTINGS.stream;
// These are the names of the table; `Object.keys` loses them in its type.
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[];

/** The properties of a channel to be created (specification, "POST /users/me/subscriptions"). */
export const creationParams = {
  invite_only: boolean.default(false),
  is_web_public: boolean.default(false),
  is_default_stream: boolean.default(false),
  history_public_to_subscribers: boolean.optional(),
  message_retention_days: retention,
  topics_policy: policyOfTopics.default('inherit'),
  folder_id: folderId.default(null),
  ...perPermission(PERMISSIONS, groupSetting),
};

export function creationRequest(params: Values<typeof creationParams>): CreationRequest {
  return {
    isPrivate: params.invite_only,
    isWebPublic: params.is_web_public,
    isDefault: params.is_default_stream,
    hasSharedHistory: params.history_public_to_subscribers,
    messageRetentionDays: retentionDays(params.message_retention_days),
    topicsPolicy: params.topics_policy,
    folderId: params.folder_id,
    groups: given(PERMISSION_NAMES, params),
  };
}

/** Returns the value as stored: null inherits, -1 keeps forever (reference/endpoints.md 1.20). */
export function retentionDays(value: unknown): number | null {
  if (value === undefined || value === 'realm_default') return null;
  if (value === 'unlimited') return -1;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  // A list may be nested too deep to be written out within the stack.
  const shown = typeof value === 'string' || typeof value === 'number' ? value : typeof value;
  throw errors.invalidVariable('message_retention_days', shown);
}
