import { render } from 'preact';
import { openBrowser } from './net/browser.ts';
import { openConnection } from './net/connection.ts';
import { openNotifications } from './net/notifications.ts';
import { openPresence } from './net/presence.ts';
import { sendPart } from './net/uploads.ts';
import { openConversations } from './store/conversations.ts';
import { openRecent } from './store/recent-messages.ts';
import { Frame } from './views/frame.tsx';

openBrowser();
openRecent();
openPresence();
openNotifications();
openConversations(sendPart);
openConnection();
render(<Frame />, document.body);
