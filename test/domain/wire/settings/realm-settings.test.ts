import { expect, test } from 'vitest';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../../src/domain/wire/settings/permission-settings.ts';
import { realmSettingsDefaults } from '../../../../src/domain/wire/settings/realm-settings.ts';
import { systemGroupId } from '../../../../src/domain/wire/system-groups.ts';

test('a permission starts with the system group that clients are told', () => {
  const defaults = realmSettingsDefaults();
  for (const [name, setting] of Object.entries(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm)) {
    expect(defaults, name).toHaveProperty(name, systemGroupId(setting.default_group_name));
  }
});

test.each([
  ['allow_message_editing', true],
  ['message_content_edit_limit_seconds', 600],
  ['message_content_delete_limit_seconds', 600],
  ['move_messages_within_stream_limit_seconds', 604_800],
  ['move_messages_between_streams_limit_seconds', 604_800],
  ['message_retention_days', -1],
  ['waiting_period_threshold', 0],
  ['enable_read_receipts', false],
  ['presence_disabled', false],
  ['invite_required', true],
  ['topics_policy', 'allow_empty_topic'],
  ['message_edit_history_visibility_policy', 'all'],
  ['can_create_web_public_channel_group', 7],
])('%s starts as %s', (name, value) => {
  expect(realmSettingsDefaults()).toHaveProperty(name, value);
});
