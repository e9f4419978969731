import * as channelChanges from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, given, groupSettingChange, integer, perPermission, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import {
  folderId,
  PERMISSION_NAMES,
  PERMISSIONS,
  policyOfTopics,
  retention,
  retentionDays,
} from './creation-params.ts';

export const updateChannel = endpoint({
  summary: 'Change a channel',
  method: 'PATCH',
  path: '/streams/{stream_id}',
  allow: anyUser,
  params: {
    stream_id: integer,
    new_name: text.optional(),
    description: text.optional(),
    is_private: boolean.optional(),
    is_web_public: boolean.optional(),
    history_public_to_subscribers: boolean.optional(),
    is_default_stream: boolean.optional(),
    message_retention_days: retention,
    topics_policy: policyOfTopics.optional(),
    folder_id: folderId.optional(),
    is_archived: boolean.optional(),
    ...perPermission(PERMISSIONS, groupSettingChange),
  },
  refuses: [
    'REQUEST_VARIABLE_INVALID',
    'BAD_REQUEST',
    'CANNOT_ADMINISTER_CHANNEL',
    'EXPECTATION_MISMATCH',
    'UNAUTHORIZED_PRINCIPAL',
  ],
  emits: [
    'default_stream_groups',
    'default_streams',
    'message',
    'muted_topics',
    'realm_bot',
    'stream',
    'subscription',
    'user_topic',
  ],
  change: (tx, request) => {
    const { params } = request;
    const { message_retention_days: days } = params;
    channelChanges.change(tx, request, params.stream_id, {
      name: params.new_name,
      description: params.description,
      isPrivate: params.is_private,
      isWebPublic: params.is_web_public,
      hasSharedHistory: params.history_public_to_subscribers,
      isDefault: params.is_default_stream,
      messageRetentionDays: days === undefined ? undefined : retentionDays(days),
      topicsPolicy: params.topics_policy,
      folderId: params.folder_id,
      isArchived: params.is_archived,
      groups: given(PERMISSION_NAMES, params),
    });
  },
});
