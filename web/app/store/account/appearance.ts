/** The settings of an account that say how the page looks and where it begins. */
import type { Contents } from '@confab/client/store';
import { INBOX, narrowRoute, type Route } from '../route.ts';
import type { Theme } from '../settings.ts';

export type { Theme };

export type AccountSettings = NonNullable<Contents['facts']['user_settings']>;

type Look = Pick<AccountSettings, 'color_scheme' | 'high_contrast_mode'>;

const SCHEMES: Readonly<Record<number, Theme>> = { 2: 'dark', 3: 'light' };

/** Returns the theme that an account says. */
export const themeOf = ({ color_scheme: scheme, high_contrast_mode: isHigh }: Look): Theme =>
  isHigh ? 'contrast' : (SCHEMES[scheme] ?? 'system');

/** Returns the settings that say a theme; contrast is light or dark as before. */
export const settingsOf = (theme: Theme): Partial<Look> =>
  theme === 'contrast'
    ? { high_contrast_mode: true }
    : {
        high_contrast_mode: false,
        color_scheme: theme === 'dark' ? 2 : theme === 'light' ? 3 : 1,
      };

/** Returns the view that an account begins with. */
export function homeOf({ web_home_view: home }: Pick<AccountSettings, 'web_home_view'>): Route {
  if (home === 'recent_topics') return { view: 'recent' };
  return home === 'all_messages' ? narrowRoute([]) : INBOX;
}
