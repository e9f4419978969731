import { render } from 'preact';
import { openBrowser } from './net/browser.ts';
import { openConnection } from './net/connection.ts';
import { openNotifications } from './net/notifications.ts';
import { openPresence } from './net/presence.ts';
import { openRecent } from './store/recent/recent-messages.ts';
import { Frame } from './views/frame.tsx';
import { loadNarrowView } from './views/load-narrow-view.ts';

openBrowser();
openRecent();
openPresence();
openNotifications();
openConnection();
render(<Frame />, document.body);
void loadNarrowView();
