import type { z } from 'zod';
import * as personalObjects from '../../domain/wire/personal-objects.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../../domain/wire/settings/user-settings.ts';
import { boolean, integer, word } from '../params.ts';

type Value = UserSettings[UserSettingName];

/**
 * Declares the parameter of a setting: fixed words and names may be quoted as JSON, everything else
 * is JSON, as everywhere.
 */
function settingParam(name: UserSettingName) {
  const { default: value } = USER_SETTINGS[name];
  if (typeof value === 'boolean') return boolean.optional();
  // It takes any value, and describes what is wrong with it.
  const setting = personalObjects.userSettings[name] as z.ZodType<Value, string & number>;
  const param = (typeof value === 'string' ? word.pipe(setting) : integer.pipe(setting)).optional();
  const note = NOTES[name];
  return note === undefined ? param : param.describe(note);
}

/** Meanings of values that a name leaves open. */
const NOTES: { readonly [Name in UserSettingName]?: string } = {
  email_notifications_batching_period_seconds:
    'Seconds that a mail about missed messages waits for further ones',
};

/** One parameter for each personal setting. */
export const settingParams = Object.fromEntries(
  USER_SETTING_NAMES.map((name) => [name, settingParam(name)]),
  // There is one entry per name, whose value has the setting's type.
) as unknown as {
  readonly [Name in UserSettingName]: z.ZodOptional<z.ZodType<UserSettings[Name]>>;
};
