import { effect } from '@preact/signals';
import { app } from '../store/app.ts';
import { counts, nowMs, realm } from '../store/model.ts';
import { arrive, heading, openNavigation } from '../store/navigation.ts';
import { openSettings, settings, type TextStore } from '../store/settings.ts';
import { documentTitle } from '../store/title.ts';

const SETTINGS = 'confab.settings';
const MINUTE_MS = 60_000;

const kept: TextStore = {
  read: () => {
    try {
      return localStorage.getItem(SETTINGS);
    } catch {
      return null;
    }
  },
  write: (text) => {
    try {
      localStorage.setItem(SETTINGS, text);
    } catch {
      // The browser keeps nothing: the settings hold until the page is left.
    }
  },
};

/** Joins the stores to the browser: address, title, theme and time. */
export function openBrowser(): void {
  openSettings(kept);
  openNavigation((href, isReplaced) => {
    if (isReplaced) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    arrive(location.hash);
  });
  addEventListener('popstate', () => arrive(location.hash));
  addEventListener('hashchange', () => arrive(location.hash));
  arrive(location.hash);

  effect(() => {
    document.documentElement.dataset['theme'] = settings.value.theme;
  });
  effect(() => {
    document.title =
      app.phase.value === 'open'
        ? documentTitle(heading.value, realm.value.name, counts.value.inbox)
        : 'confab';
  });
  setInterval(() => {
    nowMs.value = Date.now();
  }, MINUTE_MS);
}
