import { render } from 'preact';
import { openBrowser } from './net/browser.ts';
import { loadFollowing, openConnection } from './net/connection.ts';
import { firstShown } from './parts/loading/first-shown.ts';
import { openConversations } from './store/conversations.ts';
import { sayFault } from './store/notices.ts';
import { Frame } from './views/frame.tsx';

openBrowser();
void openConnection();
openConversations();
render(<Frame />, document.body);
void firstShown.then(() => follow(FIRST_PAUSE_MS));

/** Loads what follows events, and tries again for as long as it fails. */
async function follow(pauseMs: number): Promise<void> {
  try {
    await loadFollowing();
  } catch (error) {
    sayFault(error);
    setTimeout(() => void follow(Math.min(2 * pauseMs, PAUSE_MS_MAX)), pauseMs);
  }
}

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 60_000;
