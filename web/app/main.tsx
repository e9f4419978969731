import { render } from 'preact';
import { openBrowser } from './net/browser.ts';
import { openConnection } from './net/connection.ts';
import { openNotifications } from './net/notifications.ts';
import { openPresence } from './net/presence.ts';
import { openMessages } from './store/account/messages.ts';
import { openWaiting } from './store/account/waiting.ts';
import { openRecent } from './store/recent-messages.ts';
import { Frame } from './views/frame.tsx';

openBrowser();
openMessages();
openWaiting();
openRecent();
openPresence();
openNotifications();
openConnection();
render(<Frame />, document.body);
