import { expect, test } from 'vitest';
import { USER_SETTINGS } from '../../../../src/domain/wire/settings/user-settings.ts';
import {
  homeOf,
  settingsOf,
  type Theme,
  themeOf,
} from '../../../../web/app/store/account/appearance.ts';
import { codeName, keyName } from '../../../../web/app/store/account/keys.ts';
import { changePassword, strengthOf } from '../../../../web/app/store/account/password.ts';
import {
  addAlertWord,
  alertWords,
  CLOCK,
  chosenOf,
  FOLLOWING,
  FOLLOWS_MENTIONS,
  HOME,
  isOn,
  NOTIFICATIONS,
  NOTIFYING,
  optionsOf,
  PRIVACY,
  READING,
  RESOLVED_NOTICES,
  removeAlertWord,
  SEES_TYPING,
  SIZES,
  setChosen,
  setToggle,
  VISIBILITY,
  WRITING,
} from '../../../../web/app/store/account/preferences.ts';
import { app } from '../../../../web/app/store/app.ts';
import { narrowRoute } from '../../../../web/app/store/route.ts';
import { THEMES } from '../../../../web/app/store/settings.ts';
import { clock, setClock } from '../../../../web/app/store/times.ts';
import { openAccount } from '../later/snapshot.ts';

const CHOICES = [...SIZES, HOME, READING, ...FOLLOWING, ...NOTIFYING, VISIBILITY, RESOLVED_NOTICES];

const TOGGLES = [
  CLOCK,
  ...WRITING,
  FOLLOWS_MENTIONS,
  ...NOTIFICATIONS.flatMap(({ settings }) => settings),
  ...PRIVACY,
  SEES_TYPING,
];

test.each(CHOICES.map((words) => [words.name, words] as const))(
  'the server takes every value of %s that the page offers, and its default is one of them',
  (name, { options }) => {
    const description: {
      readonly default: unknown;
      readonly values?: readonly unknown[];
      readonly min?: number;
      readonly max?: number;
    } = USER_SETTINGS[name as keyof typeof USER_SETTINGS];
    const values = options.map(([value]) => value);
    expect(values).toContain(description.default);
    for (const value of values) {
      if (description.values !== undefined) expect(description.values).toContain(value);
      if (description.min !== undefined) expect(value).toBeGreaterThanOrEqual(description.min);
      if (description.max !== undefined) expect(value).toBeLessThanOrEqual(description.max);
    }
  },
);

test('each switch is a setting that is on or off, and stands once', () => {
  const names = TOGGLES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(typeof USER_SETTINGS[name as keyof typeof USER_SETTINGS].default).toBe('boolean');
  }
});

test('a value that another client has set is shown as it is', () => {
  expect(optionsOf(HOME, 'inbox')).toHaveLength(3);
  const [size] = SIZES;
  if (size === undefined) throw new Error('There are two');
  expect(optionsOf(size, 17).at(-1)).toEqual(['17', '17']);
  expect(optionsOf(size, undefined)).toHaveLength(size.options.length);
});

test('a setting follows the events of other windows, and is changed by one request', async () => {
  const requests = openAccount(() => ({}), {
    user_settings: { enter_sends: false, web_font_size_px: 16 },
    alert_words: ['soup'],
  });
  expect([isOn('enter_sends'), chosenOf('web_font_size_px')]).toEqual([false, 16]);
  const changed = (id: number, property: string, value: unknown) =>
    app.apply([{ id, type: 'user_settings', op: 'update', property, value } as never]);
  changed(1, 'enter_sends', true);
  changed(2, 'web_font_size_px', 20);
  expect([isOn('enter_sends'), chosenOf('web_font_size_px')]).toEqual([true, 20]);
  app.apply([{ id: 3, type: 'alert_words', alert_words: ['soup', 'tea'] } as never]);
  expect(alertWords()).toEqual(['soup', 'tea']);
  await setToggle('enter_sends', false);
  await setChosen('web_font_size_px', 18);
  await addAlertWord(' bread ');
  await removeAlertWord('tea');
  expect(requests.map(({ method, path, params }) => [method, path, params])).toEqual([
    ['PATCH', '/settings', { enter_sends: false }],
    ['PATCH', '/settings', { web_font_size_px: 18 }],
    ['POST', '/users/me/alert_words', { alert_words: ['bread'] }],
    ['DELETE', '/users/me/alert_words', { alert_words: ['tea'] }],
  ]);
});

test.each(THEMES)('the theme %s is the same after the account has kept it', (theme: Theme) => {
  const before = { color_scheme: 2, high_contrast_mode: false } as const;
  expect(themeOf({ ...before, ...settingsOf(theme) })).toBe(theme);
});

test('the chat begins where the account says', () => {
  expect(homeOf({ web_home_view: 'inbox' })).toEqual({ view: 'inbox' });
  expect(homeOf({ web_home_view: 'recent_topics' })).toEqual({ view: 'recent' });
  expect(homeOf({ web_home_view: 'all_messages' })).toEqual(narrowRoute([]));
});

test('the clock has hours up to 23 where that is wanted', () => {
  const evening = new Date(2026, 0, 7, 17, 5).getTime();
  setClock(true);
  expect(clock(evening)).toBe('17:05');
  setClock(false);
  expect(clock(evening)).toMatch(/05/);
});

test.each([
  ['', 0],
  ['short', 0],
  ['aaaaaaaaaaaa', 1],
  ['12345678', 1],
  ['abcdefghijkl', 1],
  ['sunflower', 2],
  ['horse4Battery', 4],
  ['three lamps on a quiet street', 4],
] as const)('the strength of “%s” is %i of 4', (password, level) => {
  expect(strengthOf(password, 8).level).toBe(level);
});

test('a password is judged in words, however long it is', () => {
  expect(strengthOf('x', 8).words).toBe('Too short: it needs 8 characters');
  expect(strengthOf('ab'.repeat(50_000), 8).words).not.toBe('');
  expect(strengthOf('correct horse battery', 8).words).toBe('Looks strong');
});

test('a new password goes with the one before', async () => {
  const requests = openAccount();
  await changePassword('before', 'after');
  expect(requests[0]?.params).toEqual({ old_password: 'before', new_password: 'after' });
});

test('a key is called by the program that used it, else by where it came from', () => {
  expect(keyName({ client: 'curl', made_by: 'login' })).toBe('curl');
  expect(keyName({ client: null, made_by: 'command' })).toBe('Made by the operator');
  expect(keyName({ client: '', made_by: null })).toBe('A key');
});

test('the code for a key is called by what the account has', () => {
  const both = 'Code of your app, or a recovery code';
  expect(codeName(['app', 'passkey', 'recovery_code'])).toBe(both);
  expect(codeName(['passkey', 'recovery_code'])).toBe('Recovery code');
  expect(codeName(['passkey'])).toBe(null);
  expect(codeName(undefined)).toBe(null);
});
