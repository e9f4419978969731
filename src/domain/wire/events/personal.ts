import { z } from 'zod';
import * as personalObjects from '../personal-objects.ts';
import { USER_SETTING_NAMES, USER_SETTINGS } from '../settings/user-settings.ts';
import { event, eventOf, fits, has, scalar } from './event.ts';

/** Values of the personal settings, those of the account itself included. */
export const USER_PROPERTIES = { ...personalObjects.userSettings, timezone: z.string() };
const isLegacySetting = (kind: 'display' | 'notification') => (name: string) =>
  // The name is one of the table, or the result is undefined; the type of the index does not allow
  // that.
  (USER_SETTINGS as Readonly<Record<string, { kind: string }>>)[name]?.kind === kind;

export const settingName = z.enum(USER_SETTING_NAMES);
const languageName = z.string().optional().describe('With `default_language`');

export const PERSONAL = {
  user_topic: event('user_topic', personalObjects.userTopic.shape),
  muted_topics: event('muted_topics', {
    muted_topics: z.array(personalObjects.mutedTopic).describe('Channel name, topic, time'),
  }),
  muted_users: event('muted_users', { muted_users: z.array(personalObjects.mutedUser) }),
  'user_settings update': eventOf('user_settings', 'update', {
    property: z.enum([...USER_SETTING_NAMES, 'timezone']),
    value: scalar,
    language_name: languageName,
  })
    .refine(fits(USER_PROPERTIES), 'has a value of another setting')
    .refine(
      (update) => has(update, 'language_name') === (update.property === 'default_language'),
      'names a language exactly when it is about the language',
    ),
  update_display_settings: event('update_display_settings', {
    setting_name: z.enum([...USER_SETTING_NAMES, 'timezone']),
    setting: scalar,
    user: z.string().describe('The API email'),
    language_name: languageName,
  }).refine(
    ({ setting_name }) => setting_name === 'timezone' || isLegacySetting('display')(setting_name),
    'is about no display setting',
  ),
  update_global_notifications: event('update_global_notifications', {
    notification_name: settingName,
    setting: scalar,
    user: z.string().describe('The API email'),
  }).refine(
    ({ notification_name }) => isLegacySetting('notification')(notification_name),
    'is about no notification setting',
  ),
  alert_words: event('alert_words', { alert_words: z.array(z.string()) }),
  has_zoom_token: event('has_zoom_token', { value: z.boolean() }),
  push_device: event('push_device', {
    push_account_id: z.string(),
    status: z.enum(['active', 'pending', 'failed']),
    error_code: z.string().optional(),
  }),
  onboarding_steps: event('onboarding_steps', {
    onboarding_steps: z.array(personalObjects.onboardingStep).describe('Those that remain'),
  }),
} as const;
