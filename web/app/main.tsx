import { effect } from '@preact/signals';
import { render } from 'preact';
import { openBrowser } from './net/browser.ts';
import { openConnection } from './net/connection.ts';
import { openPresence } from './net/presence.ts';
import { settings } from './store/settings.ts';
import { Frame } from './views/frame.tsx';
import { loadNarrowView } from './views/load-narrow-view.ts';
// Parts that are loaded later share these: here they cost them no further requests.
import './parts/dialog.tsx';
import './store/times.ts';

openBrowser();
openPresence();
openConnection();
render(<Frame />, document.body);
void loadNarrowView();

let areNotificationsOpen = false;
effect(() => {
  if (areNotificationsOpen || !settings.value.notifications) return;
  areNotificationsOpen = true;
  void import('./net/notifications.ts').then(({ openNotifications }) => openNotifications());
});
